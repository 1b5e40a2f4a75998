/** Plans the change of a client's file: the new content, and the record to undo it. Writes nothing. */
import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Files, LocatedEntry } from '../../hosts/files/shape.ts';
import { relativeInside } from '../../hosts/relative-inside.ts';
import { decodeText, encodeText } from '../../text/lines/bytes.ts';
import { notRegular, refuseLarge } from './client-file.ts';
import { isBlank } from './editor.ts';
import { differenceOf, hashOf, type InitRecord, readRecord, restored } from './record.ts';
import { shownDiff } from './shown-diff.ts';
import type { FileTarget } from './targets.ts';

export interface FilePlan {
  readonly target: FileTarget;
  readonly action: 'create' | 'change' | 'delete' | 'none';
  readonly diff: string;
  readonly place: LocatedEntry;
  /** The real path, if the path contains links. */
  readonly linked?: string;
  readonly before: Uint8Array | undefined;
  /** Undefined for a file that is removed or does not exist. */
  readonly after: Uint8Array | undefined;
  /** The record to write, if any. */
  readonly record: InitRecord | undefined;
  /** Folders that init created, the deepest last; empty ones are removed with the file. */
  readonly folders: readonly string[];
}

interface Content {
  readonly text: string | undefined;
  /** The content without pincer's entry. */
  readonly base: string | undefined;
  readonly made: InitRecord['made'];
  readonly created: boolean;
}

export interface PlanContext {
  readonly files: Files;
  readonly stateDir: string;
  /** The project, or the home of the user. */
  readonly folder: string;
}

/** The path after resolving links above the folder only: the operator chose those. */
function resolveAbove(folder: string, path: string): string {
  const below = relativeInside(folder, path);
  return below === undefined || !existsSync(folder) ? path : join(realpathSync(folder), below);
}

export function planFile({ files, stateDir, folder }: PlanContext, target: FileTarget, work: 'put' | 'take'): FilePlan {
  const place = files.placeOf(target.path);
  const { path } = place.file;
  const linked = path === resolveAbove(folder, target.path) ? undefined : path;
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
    // If the file is unchanged since init, the record has the content before; otherwise remove the entry from the text.
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

/** The folders that a new file needs, the deepest last. */
function missingFolders(path: string): readonly string[] {
  const missing: string[] = [];
  for (let at = dirname(path); !existsSync(at); at = dirname(at)) missing.unshift(at);
  return missing;
}
