/** What becomes of a client's file: the new content, and what will be needed to go back. Reads the file, writes nothing. */
import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Files, LocatedEntry } from '../../hosts/files/shape.ts';
import { relativeInside } from '../../hosts/relative-inside.ts';
import { decodeText, encodeText } from '../../text/lines/bytes.ts';
import { notRegular, refuseLarge } from './client-file.ts';
import { isBlank } from './edited.ts';
import { differenceOf, hashOf, type InitRecord, readRecord, restored } from './record.ts';
import { shownDiff } from './shown-diff.ts';
import type { FileTarget } from './targets.ts';

export interface FilePlan {
  readonly target: FileTarget;
  readonly action: 'create' | 'change' | 'delete' | 'none';
  readonly diff: string;
  readonly place: LocatedEntry;
  /** Where the file lies that is written, if links lead there. */
  readonly linked?: string;
  readonly before: Uint8Array | undefined;
  /** Undefined for a file that is removed, or never was. */
  readonly after: Uint8Array | undefined;
  /** What to keep: nothing new for undefined. */
  readonly record: InitRecord | undefined;
  /** Folders that init made, the deepest last: those that are empty go with the file. */
  readonly folders: readonly string[];
}

interface Content {
  readonly text: string | undefined;
  /** The content without our entry. */
  readonly base: string | undefined;
  readonly made: InitRecord['made'];
  readonly created: boolean;
}

/** Where files are planned. */
export interface Ground {
  readonly files: Files;
  readonly stateDir: string;
  /** The project, or the home of the user. */
  readonly folder: string;
}

/** The path as it would be if only links above the folder led elsewhere, which is the operator's own doing. */
function withoutLinks(folder: string, path: string): string {
  const below = relativeInside(folder, path);
  return below === undefined || !existsSync(folder) ? path : join(realpathSync(folder), below);
}

/** Plans one file. */
export function planFile({ files, stateDir, folder }: Ground, target: FileTarget, work: 'put' | 'take'): FilePlan {
  const place = files.placeOf(target.path);
  const { path } = place.file;
  const linked = path === withoutLinks(folder, target.path) ? undefined : path;
  const bytes = contentOf(files, place, target.path);
  const record = readRecord(stateDir, path);
  const text = bytes === undefined ? undefined : decodeText(bytes);
  const content = work === 'put' ? put(target, text, bytes, record) : take(target, text, bytes, record);
  const after = content.text === undefined ? undefined : encodeText(content.text);
  const action = actionOf(text, content.text);
  const folders = action === 'create' ? missingFolders(path) : (record?.folders ?? []);
  return {
    target,
    action,
    diff: shownDiff(linked ?? target.path, text, content.text),
    place,
    ...(linked === undefined ? {} : { linked }),
    before: bytes,
    after,
    folders,
    record:
      work === 'take' || after === undefined || action === 'none'
        ? undefined
        : {
            version: 1,
            path,
            after: hashOf(after),
            ...differenceOf(encodeText(content.base ?? ''), after),
            created: content.created,
            folders,
            made: content.made,
          },
  };
}

function put(
  { editor }: FileTarget,
  text: string | undefined,
  bytes: Uint8Array | undefined,
  record: InitRecord | undefined,
): Content {
  const old = bytes === undefined || record === undefined ? undefined : restored(record, bytes);
  const { text: edited, made } = editor.put(text ?? '');
  const isThere = text !== undefined && editor.find(text) !== undefined;
  const known = record?.made ?? [];
  return {
    text: edited,
    // As init left it, what stood there before it is known; otherwise it is what stands there without the entry.
    base: old === undefined ? (isThere ? editor.take(text, known) : text) : decodeText(old),
    made: isThere ? [...known, ...made] : made,
    created: text === undefined || record?.created === true,
  };
}

function take(
  { editor }: FileTarget,
  text: string | undefined,
  bytes: Uint8Array | undefined,
  record: InitRecord | undefined,
): Content {
  const created = record?.created === true;
  if (text === undefined || bytes === undefined) return { text, base: text, made: [], created };
  const old = record === undefined ? undefined : restored(record, bytes);
  const base = old === undefined ? editor.take(text, record?.made) : decodeText(old);
  const isNothing = isBlank(base) || /^\s*\{\s*\}\s*$/u.test(base);
  return { text: created && isNothing && base !== text ? undefined : base, base, made: [], created };
}

function actionOf(before: string | undefined, after: string | undefined): FilePlan['action'] {
  if (before === after) return 'none';
  if (before === undefined) return 'create';
  return after === undefined ? 'delete' : 'change';
}

function contentOf(files: Files, { type, file }: LocatedEntry, path: string): Uint8Array | undefined {
  if (type === 'nothing') return undefined;
  if (type !== 'file') throw notRegular(path);
  const open = files.open(file);
  try {
    refuseLarge(path, open.size);
    return open.readAll();
  } finally {
    open.close();
  }
}

/** The folders that are made with a new file, the deepest last. */
function missingFolders(path: string): readonly string[] {
  const missing: string[] = [];
  for (let at = dirname(path); !existsSync(at); at = dirname(at)) missing.unshift(at);
  return missing;
}
