/** Reads the files that rules are bound to. */
import type { FileText, Lookup } from '../../../wire/policy.ts';
import { readWholeFile } from '../../obeyed/reading.ts';

const MOST_BYTES = 32 * 1024 * 1024;

/** A file that a judgement has read. */
export interface ReadText {
  readonly path: string;
  readonly sha256: string;
}

export interface BoundTexts {
  readonly textOf: Lookup['textOf'];
  /** The existing files that were read. */
  read(): readonly ReadText[];
  /** What is not as it was read first; undefined where all is. */
  changed(): string | undefined;
}

/** Caches what it reads, so an instance is for a single judgement. */
export function boundTextReader(): BoundTexts {
  const known = new Map<string, ReturnType<Lookup['textOf']>>();
  return {
    textOf: (path) => {
      if (!known.has(path)) known.set(path, textOf(path));
      return known.get(path);
    },
    read: () => [...known].flatMap(([path, found]) => (hashIn(found) === '' ? [] : [{ path, sha256: hashIn(found) }])),
    changed: () => [...known].find(([path, found]) => hashIn(textOf(path)) !== hashIn(found))?.[0],
  };
}

function hashIn(found: ReturnType<Lookup['textOf']>): string {
  return found === undefined || 'unreadable' in found ? '' : found.sha256;
}

function textOf(path: string): FileText | { readonly unreadable: string } | undefined {
  const bytes = readWholeFile(path, MOST_BYTES);
  if (bytes === 'missing') return undefined;
  if (bytes === 'unreadable') return { unreadable: `${path} cannot be read` };
  if (bytes === 'too-long') return { unreadable: `${path} is longer than ${MOST_BYTES >> 20} MiB` };
  return { text: bytes.toString('utf8'), sha256: hashOf(bytes) };
}

/** In hexadecimal. */
export function hashOf(content: Uint8Array | string): string {
  // Loaded here, because most judgements hash nothing.
  return process.getBuiltinModule('node:crypto').createHash('sha256').update(content).digest('hex');
}
