/** The built files of the control page, read into memory together, so that a new build never mixes with an old one. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { TOP_FILES } from './paths.ts';

export interface BuiltFile {
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The same content compressed at build time, by content coding. */
  readonly compressed: Readonly<Partial<Record<Coding, Uint8Array<ArrayBuffer>>>>;
}

export type Coding = (typeof CODINGS)[number]['coding'];

/** The best one first. */
export const CODINGS = [
  { coding: 'br', suffix: '.br' },
  { coding: 'gzip', suffix: '.gz' },
] as const;

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};

const INDEX = '/index.html';
const STYLESHEET = /<link rel="stylesheet"[^>]*>/gu;

export interface BuiltPage {
  /** `index.html` as text. */
  readonly index: string;
  /** The `link` elements of its stylesheets. */
  readonly styles: string;
  /** By path: `/assets/…` and files at the top. */
  readonly files: ReadonlyMap<string, BuiltFile>;
}

/** Reads the folder again when its `index.html` has changed. Undefined where there is no build. */
export function builtPage(folder: string): () => BuiltPage | undefined {
  let read: { readonly stamp: string; readonly page: BuiltPage } | undefined;
  return () => {
    const stamp = stampOf(join(folder, INDEX));
    if (stamp === undefined) return undefined;
    if (read?.stamp !== stamp) read = { stamp, page: readPage(folder) };
    return read.page;
  };
}

function stampOf(file: string): string | undefined {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats === undefined ? undefined : `${stats.ino}:${stats.size}:${stats.mtimeMs}`;
}

function readPage(folder: string): BuiltPage {
  const files = new Map<string, BuiltFile>();
  const assets = readdirSync(folder).includes('assets') ? readdirSync(join(folder, 'assets')) : [];
  for (const path of [...assets.map((name) => `/assets/${name}`), ...TOP_FILES]) {
    const type = TYPES[extname(path)];
    const bytes = type === undefined ? undefined : bytesOf(join(folder, path));
    if (type === undefined || bytes === undefined) continue;
    const compressed = Object.fromEntries(
      CODINGS.flatMap(({ coding, suffix }) => {
        const found = bytesOf(join(folder, `${path}${suffix}`));
        return found === undefined ? [] : [[coding, found]];
      }),
    );
    files.set(path, { type, bytes, compressed });
  }
  const index = readFileSync(join(folder, INDEX), 'utf8');
  return { index, styles: (index.match(STYLESHEET) ?? []).join('\n'), files };
}

function bytesOf(file: string): Uint8Array<ArrayBuffer> | undefined {
  return statSync(file, { throwIfNoEntry: false })?.isFile() === true ? new Uint8Array(readFileSync(file)) : undefined;
}
