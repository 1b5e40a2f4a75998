/** Changes settings in one file: in one write, under a lock, byte for byte around it, and only when the result reads back as it was meant. */
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
import { json5Reader, type ReadJson5 } from '../load/source/json5.ts';

type Files = ReturnType<typeof localFiles>;
type Located = ReturnType<typeof locateOperator>;
type OpenFile = ReturnType<Files['open']>;

/** What is to be done to a file. */
export type Edit = { readonly verb: 'set'; readonly value: unknown } | { readonly verb: 'unset' };

export interface ChangeRequest {
  readonly path: string;
  /** The edits, in the order in which they are applied; all of them or none are written. */
  readonly edits: readonly LocateEdit[];
  readonly stateDir: string;
  /** The folder that is worked in. */
  readonly cwd: string;
  /** Kept with the record of the change. */
  readonly agent: string;
  /** What a new file begins with, and whether others than its user may read it; undefined refuses to make one. */
  readonly newFile?: { readonly text: string; readonly shared?: boolean };
  readonly dryRun?: boolean;
}

/** Finds the place of an edit in the file as it is under the lock; undefined when there is nothing to do. */
export type LocateEdit = (document: ConfigDocument, value: unknown) => ChangeAt | undefined;

/** One edit at one place. */
export type ChangeAt = Edit & {
  readonly at: readonly FileStep[];
  /** The setting that was named, where more than that is written (default: `at`). */
  readonly names?: readonly FileStep[];
};

export interface Changed {
  /** Whether there was anything to do: a setting that is not there cannot be taken out. */
  readonly found: boolean;
  readonly changed: boolean;
  /** The real path of the file, links followed. */
  readonly path: string;
  /** The steps to the first setting in this file. */
  readonly at: readonly FileStep[];
  readonly created: boolean;
  readonly before: string;
  readonly after: string;
  readonly diff: string;
}

/** Changes a file, or shows what would become of it. */
export async function changeConfigFile(request: ChangeRequest): Promise<Changed> {
  const { cwd, stateDir, agent, newFile, dryRun = false } = request;
  const parse = await json5Reader();
  const files = settingsFiles({ cwd, stateDir, agent });
  const located = locateSettings(cwd, request.path);
  const current = (): { readonly file: OpenFile | undefined; readonly text: string | undefined } => {
    if (!exists(located.path)) return { file: undefined, text: undefined };
    const file = files.open(located);
    return { file, text: decodeText(file.readAll()) };
  };
  const planned = (text: string | undefined): Plan => {
    if (text === undefined && newFile === undefined) return nothingThere(located.path);
    return plan(request, located.path, text, parse);
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

/** Settings have one record for all files and folders: no undo of a workspace's changes finds them. */
const RECORD = 'settings';

/** The files with the record of settings. */
export function settingsFiles({ cwd, stateDir, agent }: Pick<ChangeRequest, 'cwd' | 'stateDir' | 'agent'>): Files {
  return localFiles({ cwd, stateDir, author: commandLineAuthor(agent), record: RECORD });
}

/** The file behind links; for one that is not there yet, its name in the real folder. */
export function locateSettings(cwd: string, path: string): Located {
  if (exists(path)) return locateOperator(cwd, path);
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) throw cannotMake(path, 'a link to nothing is there');
  const folder =
    statSync(dirname(path), { throwIfNoEntry: false }) === undefined ? dirname(path) : realpathSync(dirname(path));
  return asLocated(join(folder, basename(path)), undefined);
}

function nothingThere(path: string): Plan {
  const outcome = { found: false, changed: false, path, at: [], created: false, before: '', after: '', diff: '' };
  return { splices: [], outcome };
}

interface Plan {
  readonly outcome: Changed;
  readonly splices: readonly Splice[];
}

function plan(request: ChangeRequest, path: string, text: string | undefined, parse: ReadJson5): Plan {
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

/** The text after one edit, and the steps to the setting if there was anything to do. */
function applyEdit(
  locate: LocateEdit,
  text: string,
  path: string,
  parse: ReadJson5,
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
    // A name that is said twice goes twice.
  }
}

function spliced(document: ConfigDocument, change: ChangeAt): readonly Splice[] | undefined {
  return change.verb === 'set' ? document.set(change.at, change.value) : document.unset(change.at);
}

/** The one replacement that makes the one text of the other. */
function difference(before: string, after: string): Splice {
  const most = Math.min(before.length, after.length);
  let head = 0;
  while (head < most && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < most - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  // Never between the halves of a character.
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

/** Nothing is written that does not read back as it was meant. */
function verify(after: string, change: ChangeAt & { readonly verb: 'set' }, parse: ReadJson5, path: string): void {
  if (isDeepStrictEqual(plain(valueAt(parseWith(parse, after, path), change.at)), plain(change.value))) return;
  throw new Fault('INTERNAL_ERROR', `${path} would not have read back as it was meant; nothing was written`, {
    hint: 'change the file by hand, and report this with the file',
  });
}

/** As data without prototypes: JSON5 makes objects of its own. */
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

/** A file that its owner closed stays closed, also for those whom permissions do not bind. */
export function refuseReadOnly(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined || (stats.mode & 0o222) !== 0) return;
  throw new Fault('FS_WRITE_FAILED', `${path} is read-only`, {
    hint: 'chmod u+w lets it be written; another file can be named with --file',
    details: { path },
  });
}

function makeFolder(folder: string, mode: number): void {
  try {
    mkdirSync(folder, { recursive: true, mode });
  } catch (error) {
    throw cannotMake(folder, (error as NodeJS.ErrnoException).code ?? 'unknown');
  }
}

function cannotMake(path: string, why: string): Fault {
  return new Fault('FS_WRITE_FAILED', `${path} cannot be made: ${why}`, {
    hint: 'remove what stands in the way, or name another file with --file',
    details: { path },
  });
}
