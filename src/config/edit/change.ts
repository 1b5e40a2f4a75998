/** Changes settings in one file with one locked write. All other bytes stay, and the result is parsed again before it is written. */
import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Fault } from '../../base/fault.ts';
import { localFiles } from '../../hosts/files/files.ts';
import { locateOperator } from '../../hosts/files/gate/locate.ts';
import { asLocated } from '../../hosts/files/gate/root.ts';
import { decodeText, byteLength, encodeText } from '../../text/lines/bytes.ts';
import { applySplices, type Splice } from '../../text/lines/splice.ts';
import { unifiedDiff } from '../../text/lines/unified.ts';
import { commandLineAuthor } from '../agent.ts';
import { valueAt } from '../load/effective.ts';
import { parseWith } from '../load/read.ts';
import { ConfigDocument, type FileStep } from '../load/source/document.ts';
import { loadJson5Parser, type ParseJson5 } from '../load/source/json5.ts';

type Files = ReturnType<typeof localFiles>;
type Located = ReturnType<typeof locateOperator>;
type OpenFile = ReturnType<Files['open']>;

export type Edit = { readonly verb: 'set'; readonly value: unknown } | { readonly verb: 'unset' };

export interface ChangeRequest {
  readonly path: string;
  /** Applied in this order, and written all together or not at all. */
  readonly edits: readonly LocateEdit[];
  readonly stateDir: string;
  readonly cwd: string;
  /** The author in the record of changes. */
  readonly agent: string;
  /** The initial text of a new file, and whether other users may read it; undefined creates no file. */
  readonly newFile?: { readonly text: string; readonly shared?: boolean };
  readonly dryRun?: boolean;
  /** Of the file as the author of the change saw it: CONFIG_CHANGED if it has another one. */
  readonly revision?: string;
}

/** Called under the lock; returns undefined when there is nothing to do. */
export type LocateEdit = (document: ConfigDocument, value: unknown) => ChangeAt | undefined;

export type ChangeAt = Edit & {
  readonly at: readonly FileStep[];
  /** The requested setting, where the edit writes an ancestor of it (default: `at`). */
  readonly names?: readonly FileStep[];
};

export interface ConfigChange {
  /** False when the setting to remove is not set. */
  readonly found: boolean;
  readonly changed: boolean;
  /** The real path, with symlinks resolved. */
  readonly path: string;
  /** The steps to the first changed setting in this file. */
  readonly at: readonly FileStep[];
  readonly created: boolean;
  readonly before: string;
  readonly after: string;
  readonly diff: string;
}

export async function changeConfigFile(request: ChangeRequest): Promise<ConfigChange> {
  const { cwd, stateDir, agent, newFile, dryRun = false } = request;
  const parse = await loadJson5Parser();
  const files = settingsFiles({ cwd, stateDir, agent });
  const located = locateSettings(cwd, request.path);
  const current = (): { readonly file: OpenFile | undefined; readonly text: string | undefined } => {
    if (!exists(located.path)) return { file: undefined, text: undefined };
    const file = files.open(located);
    return { file, text: decodeText(file.readAll()) };
  };
  const planned = (text: string | undefined): Plan => {
    refuseChanged(request, text);
    if (text === undefined && newFile === undefined) return missingFile(located.path);
    return planEdits(request, located.path, text, parse);
  };
  const first = current();
  first.file?.close();
  if (dryRun) return planned(first.text).outcome;
  if (first.text !== undefined) refuseReadOnly(located.path);
  else if (newFile !== undefined) makeFolder(dirname(located.path), newFile.shared === true ? 0o755 : 0o700);
  const writer = await files.writer('settings');
  return writer.exclusively([located], () => {
    const { file, text } = current();
    try {
      const { outcome, splices } = planned(text);
      if (file === undefined && outcome.found)
        writer.commit([
          { file: located, create: encodeText(outcome.after), mode: newFile?.shared === true ? 0o644 : 0o600 },
        ]);
      else if (file !== undefined && text !== undefined) writer.replace(file, byteSplices(text, splices));
      return outcome;
    } finally {
      file?.close();
    }
  });
}

/** Names the content of a file; a file that does not exist has one, too. */
export function revisionOf(text: string | undefined): string {
  return text === undefined ? 'none' : createHash('sha256').update(text).digest('hex');
}

function refuseChanged({ revision, path }: ChangeRequest, text: string | undefined): void {
  const current = revisionOf(text);
  if (revision === undefined || revision === current) return;
  throw new Fault('CONFIG_CHANGED', `${path} has changed since it was read`, {
    hint: 'read it again, compare, then write',
    details: { path, revision: current },
  });
}

/** Settings have their own record, so that `pincer undo` in a workspace does not find them. */
const RECORD = 'settings';

export function settingsFiles({ cwd, stateDir, agent }: Pick<ChangeRequest, 'cwd' | 'stateDir' | 'agent'>): Files {
  return localFiles({ cwd, stateDir, author: commandLineAuthor(agent), record: RECORD });
}

/** Resolves symlinks; for a file that does not exist yet, those of its folder. */
export function locateSettings(cwd: string, path: string): Located {
  if (exists(path)) return locateOperator(cwd, path);
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) throw cannotCreate(path, 'it is a dangling symlink');
  const folder =
    statSync(dirname(path), { throwIfNoEntry: false }) === undefined ? dirname(path) : realpathSync(dirname(path));
  return asLocated(join(folder, basename(path)), undefined);
}

function missingFile(path: string): Plan {
  const outcome = { found: false, changed: false, path, at: [], created: false, before: '', after: '', diff: '' };
  return { splices: [], outcome };
}

interface Plan {
  readonly outcome: ConfigChange;
  readonly splices: readonly Splice[];
}

function planEdits(request: ChangeRequest, path: string, text: string | undefined, parse: ParseJson5): Plan {
  let now = text ?? request.newFile?.text ?? '';
  let first: readonly FileStep[] | undefined;
  for (const locate of request.edits) {
    const { text: edited, at } = applyEdit(locate, now, path, parse);
    now = edited;
    first ??= at;
  }
  const before = text ?? '';
  const whole = now === before ? [] : [difference(before, now)];
  const created = text === undefined;
  const outcome = {
    found: first !== undefined,
    at: first ?? [],
    changed: now !== before,
    path,
    created,
    before,
    after: now,
  };
  return { splices: whole, outcome: { ...outcome, diff: unifiedDiff(path, before, whole) } };
}

function applyEdit(
  locate: LocateEdit,
  text: string,
  path: string,
  parse: ParseJson5,
): { readonly text: string; readonly at?: readonly FileStep[] } {
  let now = text;
  let at: readonly FileStep[] | undefined;
  for (;;) {
    const value = parseWith(parse, now, path);
    const document = new ConfigDocument(now, parse);
    const change = locate(document, value);
    const splices = change === undefined ? undefined : spliced(document, change);
    if (change === undefined || splices === undefined) return { text: now, ...(at === undefined ? {} : { at }) };
    at = change.names ?? change.at;
    now = applySplices(now, splices);
    if (change.verb === 'set') {
      verify(now, change, parse, path);
      return { text: now, at };
    }
    // Remove duplicates of the name too.
  }
}

function spliced(document: ConfigDocument, change: ChangeAt): readonly Splice[] | undefined {
  return change.verb === 'set' ? document.set(change.at, change.value) : document.unset(change.at);
}

/** The single replacement that turns one text into the other. */
function difference(before: string, after: string): Splice {
  const most = Math.min(before.length, after.length);
  let head = 0;
  while (head < most && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < most - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  // Never split a surrogate pair.
  if (isHigh(before.charCodeAt(head - 1))) head--;
  if (tail > 0 && isLow(before.charCodeAt(before.length - tail))) tail--;
  return { start: head, end: before.length - tail, text: after.slice(head, after.length - tail) };
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}

/** Parses the result: the setting must have the requested value. */
function verify(after: string, change: ChangeAt & { readonly verb: 'set' }, parse: ParseJson5, path: string): void {
  if (isDeepStrictEqual(plain(valueAt(parseWith(parse, after, path), change.at)), plain(change.value))) return;
  throw new Fault('INTERNAL_ERROR', `the edit of ${path} would set a wrong value; nothing was written`, {
    hint: 'change the file by hand, and report this bug with the file',
  });
}

/** Removes prototypes: JSON5 creates objects of its own. */
function plain(value: unknown): unknown {
  return value === undefined ? undefined : (JSON.parse(JSON.stringify(value)) as unknown);
}

function byteSplices(text: string, splices: readonly Splice[]) {
  return splices.map(({ start, end, text: inserted }) => {
    const from = byteLength(text.slice(0, start));
    return { start: from, end: from + byteLength(text.slice(start, end)), bytes: encodeText(inserted) };
  });
}

function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Respects the mode of the file also when root writes. */
export function refuseReadOnly(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined || (stats.mode & 0o222) !== 0) return;
  throw new Fault('FS_WRITE_FAILED', `${path} is read-only`, {
    hint: 'run chmod u+w, or name another file with --file',
    details: { path },
  });
}

function makeFolder(folder: string, mode: number): void {
  try {
    mkdirSync(folder, { recursive: true, mode });
  } catch (error) {
    throw cannotCreate(folder, (error as NodeJS.ErrnoException).code ?? 'unknown');
  }
}

function cannotCreate(path: string, why: string): Fault {
  return new Fault('FS_WRITE_FAILED', `cannot create ${path}: ${why}`, {
    hint: 'remove the obstacle, or name another file with --file',
    details: { path },
  });
}
