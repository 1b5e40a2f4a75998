/** The verbs of `path`, for the command line and for the tool. */
import { Fault } from '../../base/fault.ts';
import type { Files, FileWriter, Located, NewLine, OpenFile, Written } from '../../hosts/files/shape.ts';
import { type OcPath, OcPathError } from '../../text/address/address.ts';
import { formatOcPath } from '../../text/address/format.ts';
import { parseOcPath } from '../../text/address/parse.ts';
import { stepsOf } from '../../text/address/steps.ts';
import { REDACTED_SENTINEL } from '../../text/address/sentinel.ts';
import { readJson } from '../../text/json/value.ts';
import { type KindName, type NewValue, refuse } from '../../text/kind.ts';
import { loadKind } from '../../text/kinds/registry.ts';
import { applySplices } from '../../text/lines/splice.ts';
import { unifiedDiff } from '../../text/lines/unified.ts';
import type { RowText } from '../../text/kinds/jsonl/stream.ts';
import { BrokenDocument } from '../../text/walk/broken.ts';
import type { RowFormat } from '../../text/path/lines.ts';
import { refusePattern } from '../../text/path/read.ts';
import { patternRefusal } from '../../text/path/set.ts';
import type {
  AnswerLimits,
  FindAnswer,
  FoundMatch,
  Refused,
  ResolveAnswer,
  SetAnswer,
  ValidateAnswer,
} from './answer.ts';
import { type Loader, loaderFor, readText } from './loader.ts';
import { withOpen } from './with-open.ts';
import {
  isHidden,
  kindOf,
  locateTarget,
  openTarget,
  type AddressRequest,
  parseRequest,
  type Target,
  explicitKind,
} from './request.ts';
import type { Edit, Subject } from './subject.ts';
import { outcomeOf } from './memory-subject.ts';
import { HIDDEN } from '../secrets/redact.ts';
import { secretFile, withoutLines } from '../secrets/secrets.ts';

/** Accesses no file. */
export function validate(typed: string): ValidateAnswer {
  try {
    const path = parseOcPath(typed);
    return { valid: true, ocPath: typed, formatted: formatOcPath(path), structure: { ...path } };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return {
      valid: false,
      code: error.code,
      message: error.message,
      ...(error.hint === undefined ? {} : { hint: error.hint }),
    };
  }
}

export async function resolve(files: Files, typed: string, target: Target): Promise<ResolveAnswer> {
  const request = parseRequest(typed, target);
  refusePattern(request.path);
  return withSubject(files, request, target, (subject) => {
    const match = subject.resolve(request.path);
    return match === undefined ? { resolved: false, ocPath: typed } : { resolved: true, ocPath: typed, match };
  });
}

/** The text at an address, for shell scripts. */
export async function resolveRaw(files: Files, typed: string, target: Target): Promise<string | undefined> {
  const request = parseRequest(typed, target);
  refusePattern(request.path);
  return withSubject(files, request, target, (subject) => subject.raw(request.path));
}

/** Receives the matches of a find in document order. */
export interface Finder {
  take(found: FoundMatch): void;
  /** Stops the search; called after each match. */
  isFull?(): boolean;
  /** Receives matches as formatted text from subjects that support it; others call `take`. */
  readonly text?: { readonly format: RowFormat; take(rows: RowText): void };
}

export async function find(files: Files, typed: string, target: Target, finder: Finder): Promise<void> {
  const request = parseRequest(typed, target);
  if (target.file === undefined && /[*?]/.test(request.path.file))
    throw new OcPathError(
      'OC_PATH_FILE_WILDCARD_UNSUPPORTED',
      'the file slot of find must be a single file',
      typed,
      "search several files with --files: pincer path find --files '**/*.md' 'oc://*/tools/*'",
    );
  return withSubject(files, request, target, (subject) => {
    const { text } = finder;
    const written = text === undefined ? undefined : subject.findAsText?.(request.path, text.format);
    if (text !== undefined && written !== undefined) for (const rows of written) text.take(rows);
    else
      for (const found of subject.find(request.path)) {
        finder.take(found);
        if (finder.isFull?.() === true) return;
      }
  });
}

/** All matches of a pattern, up to the limits. */
export async function findAll(files: Files, typed: string, target: Target, limits?: AnswerLimits): Promise<FindAnswer> {
  const matches: FoundMatch[] = [];
  let characters = 0;
  let truncated = false;
  const take = (found: FoundMatch): void => {
    characters += found.path.length + ('valueText' in found.match ? found.match.valueText.length : 0);
    truncated = limits !== undefined && (matches.length >= limits.matches || characters > limits.characters);
    if (!truncated) matches.push(found);
  };
  await find(files, typed, target, { take, isFull: () => truncated });
  return { pattern: typed, count: matches.length, matches, ...(truncated ? { truncated: true } : {}) };
}

export interface SetRequest extends Target {
  readonly value: NewValue;
  readonly create?: boolean;
  readonly dryRun?: boolean;
  readonly diff?: boolean;
  /** Change the file only if it has this SHA-256. */
  readonly expectHash?: string | undefined;
  /** The answer to a dry run has the SHA-256 of the present file. */
  readonly withHash?: boolean;
}

/** Writes or inserts a value. */
export async function set(files: Files, typed: string, request: SetRequest): Promise<SetAnswer> {
  const { path, kind } = parseRequest(typed, request);
  const edit: Edit = { verb: 'set', path, value: request.value, options: request.create ? { create: true } : {} };
  return change(files, typed, edit, kind, request);
}

export interface DeleteRequest extends Target, Pick<SetRequest, 'dryRun' | 'diff' | 'expectHash' | 'withHash'> {}

export async function remove(files: Files, typed: string, request: DeleteRequest): Promise<SetAnswer> {
  const { path, kind } = parseRequest(typed, request);
  return change(files, typed, { verb: 'delete', path }, kind, request);
}

async function change(
  files: Files,
  typed: string,
  edit: Edit,
  kind: KindName,
  request: DeleteRequest,
): Promise<SetAnswer> {
  const refusal = patternRefusal(edit.path);
  if (refusal !== undefined) return refusal;
  const located = locateTarget(files, { path: edit.path, typed, kind }, request);
  if (request.dryRun) (await files.writer('path')).refuseProtected([located]);
  if (request.hides !== undefined && withOpen(files, located, (file) => isHidden(file, edit.path, request))) {
    const mark = markRefusal(edit);
    if (mark !== undefined) return mark;
    if (kind === 'dotenv') return changeMasked(files, located, edit, request);
    if (request.dryRun) throw secretFile(edit.path.file);
    return withoutQuotes(edit.path.file, () => changeLocated(files, located, edit, kind, request));
  }
  return changeLocated(files, located, edit, kind, request);
}

/** Refuses the mark of a hidden value as a new value. */
function markRefusal(edit: Edit): Refused | undefined {
  if (edit.verb !== 'set' || stepsOf(edit.path).at(-1)?.sub.type === 'insert') return undefined;
  const given = 'text' in edit.value ? edit.value.text : edit.value.json;
  if (given !== HIDDEN) return undefined;
  return refuse('not-writable', `${HIDDEN} represents a hidden value; send the new value itself`);
}

/** Changes an environment file without quoting its values. */
async function changeMasked(files: Files, located: Located, edit: Edit, request: DeleteRequest): Promise<SetAnswer> {
  if (request.dryRun !== true) return changeLocated(files, located, edit, 'dotenv', request);
  const [loader, { maskedPreview }] = await Promise.all([loaderFor('dotenv', files, 0), import('./masked-subject.ts')]);
  return withOpen(files, located, (file) =>
    maskedPreview(loader.document(file), edit, located.path, request.diff === true),
  );
}

/** Removes quotes of the file from refusals and faults. */
async function withoutQuotes(name: string, write: () => Promise<SetAnswer>): Promise<SetAnswer> {
  try {
    const answer = await write();
    if (answer.ok) return answer;
    return { ...answer, detail: 'the value does not fit; details are hidden because the file contains secrets' };
  } catch (error) {
    throw withoutLines(error, name);
  }
}

async function changeLocated(
  files: Files,
  located: Located,
  edit: Edit,
  kind: KindName,
  request: DeleteRequest,
): Promise<SetAnswer> {
  // Imports are asynchronous, so they must happen before the file is locked.
  const loader = await loaderFor(
    kind,
    files,
    withOpen(files, located, (file) => file.size),
    edit.path,
  );
  const expectContent = await expectedContent(files, edit.path, request);
  if (request.dryRun)
    return withOpen(files, located, (file) => {
      expectContent(file);
      const answer = preview(loader, file, edit, request.diff === true);
      return answer.ok && request.withHash === true ? { ...answer, hash: files.hashOf(file) } : answer;
    });
  const writer = await files.writer('path');
  return writer.exclusively([located], () =>
    withOpen(files, located, (file) => {
      expectContent(file);
      return write(files, loader, file, edit, writer);
    }),
  );
}

/** The check of `expectHash`. It runs on the open file, whose stamp the write expects. */
async function expectedContent(files: Files, path: OcPath, request: DeleteRequest): Promise<(file: OpenFile) => void> {
  const { expectHash } = request;
  if (expectHash === undefined) return () => {};
  const { checkStaleness, currentFile } = await import('../edit/staleness.ts');
  return (file) => {
    const current = currentFile(files, file, files.nameOf(file.located), isHidden(file, path, request));
    checkStaleness({ expectHash, reads: undefined }, current);
  };
}

function preview(loader: Loader, file: OpenFile, edit: Edit, diff: boolean): SetAnswer {
  const document = loader.document(file);
  const outcome = outcomeOf(document, edit);
  if (!outcome.ok) return outcome;
  const answer = {
    ok: true,
    dryRun: true,
    bytes: applySplices(document.text, outcome.splices),
    fsPath: file.located.path,
  } as const;
  return diff ? { ...answer, diff: unifiedDiff(file.located.path, document.text, outcome.splices) } : answer;
}

function write(files: Files, loader: Loader, file: OpenFile, edit: Edit, writer: FileWriter): SetAnswer {
  const effect = loader.subject(file).effect(edit);
  if (!effect.ok) return effect;
  const written =
    'append' in effect ? append(files, file, writer, effect.append) : writer.replace(file, effect.splices);
  return { ok: true, dryRun: false, bytesWritten: written.size, fsPath: written.path };
}

/** Updates a remembered line count: an append adds one newline. */
function append(files: Files, file: OpenFile, writer: FileWriter, line: NewLine): Written {
  const counts = files.lineCounts();
  const known = counts.recall(file.stamp);
  const written = writer.append(file.located, line);
  if (known === undefined) return written;
  withOpen(files, file.located, (now) => {
    if (now.size === file.size + line.line.length + line.eol.length) counts.remember(now.stamp, known + 1);
  });
  return written;
}

/** Parses a file and returns its text, and whether it contains the redaction mark. */
export async function emit(
  files: Files,
  name: string,
  target: Target,
): Promise<{ readonly kind: KindName; readonly bytes: string; readonly sentinel: boolean }> {
  const kind = explicitKind(target) ?? kindOf(target.file ?? name);
  const adapter = await loadKind(kind);
  return withOpen(files, files.locateOperator(target.file ?? name), (file) => {
    const bytes = adapter.parse(readText(file)).text;
    return { kind, bytes, sentinel: bytes.includes(REDACTED_SENTINEL) };
  });
}

export function newValue(text: string, asJson: boolean): NewValue | Refused {
  if (!asJson) return { text };
  const read = readJson(text);
  if ('value' in read) return { json: read.value };
  return refuse(
    'parse-error',
    `the value is not JSON: ${read.error.message} at character ${read.error.offset + 1}; write a string as '"text"'`,
  );
}

async function withSubject<T>(
  files: Files,
  request: AddressRequest,
  target: Target,
  use: (subject: Subject) => T,
): Promise<T> {
  const file = openTarget(files, request, target);
  try {
    const loader = await loaderFor(request.kind, files, file.size, request.path);
    if (!isHidden(file, request.path, target)) return use(loader.subject(file));
    const { maskedSubject } = await import('./masked-subject.ts');
    return use(maskedSubject(loader.document(file), loader.count));
  } catch (error) {
    throw error instanceof BrokenDocument ? error.inFile(file.located.path) : error;
  } finally {
    file.close();
  }
}
