/** The verbs of `path` on files: what the command line and the agent tool both answer. */
import { Fault } from '../../base/fault.ts';
import type { Files, FileWriter, Located, NewLine, OpenFile, Written } from '../../hosts/files/shape.ts';
import { OcPathError } from '../../text/address/address.ts';
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
import type { FindAnswer, FoundMatch, Refused, ResolveAnswer, SetAnswer, ValidateAnswer } from './answer.ts';
import { type Loader, loaderFor, readText } from './load.ts';
import { withOpen } from './open.ts';
import {
  isHidden,
  kindOf,
  locateTarget,
  openTarget,
  type Question,
  readQuestion,
  type Target,
  toldKind,
} from './request.ts';
import type { Edit, Subject } from './subject.ts';
import { outcomeOf } from './whole.ts';
import { HIDDEN } from '../secrets/redact.ts';
import { secretFile, withoutLines } from '../secrets/secrets.ts';

/** Reads an address and shows its parts; no file is touched. */
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

/** What stands at one address. */
export async function resolve(files: Files, typed: string, target: Target): Promise<ResolveAnswer> {
  const question = readQuestion(typed, target);
  refusePattern(question.path);
  return withSubject(files, question, target, (subject) => {
    const match = subject.resolve(question.path);
    return match === undefined ? { resolved: false, ocPath: typed } : { resolved: true, ocPath: typed, match };
  });
}

/** The text of what stands at one address, for shell scripts; undefined when there is nothing. */
export async function resolveRaw(files: Files, typed: string, target: Target): Promise<string | undefined> {
  const question = readQuestion(typed, target);
  refusePattern(question.path);
  return withSubject(files, question, target, (subject) => subject.raw(question.path));
}

/** Who takes the matches of a find, in document order. */
export interface Finder {
  take(found: FoundMatch): void;
  /** Whether it takes no more; asked after each match. */
  isFull?(): boolean;
  /** How and where matches may be handed over as finished text; a subject that cannot do that gives them to `take`. */
  readonly text?: { readonly format: RowFormat; take(rows: RowText): void };
}

/** Hands every match of a pattern to the finder. */
export async function find(files: Files, typed: string, target: Target, finder: Finder): Promise<void> {
  const question = readQuestion(typed, target);
  if (target.file === undefined && /[*?]/.test(question.path.file))
    throw new OcPathError(
      'OC_PATH_FILE_WILDCARD_UNSUPPORTED',
      'the file slot of find names one file',
      typed,
      "search many with --files: pincer path find --files '**/*.md' 'oc://*/tools/*'",
    );
  return withSubject(files, question, target, (subject) => {
    const { text } = finder;
    const written = text === undefined ? undefined : subject.findAsText?.(question.path, text.format);
    if (text !== undefined && written !== undefined) for (const rows of written) text.take(rows);
    else
      for (const found of subject.find(question.path)) {
        finder.take(found);
        if (finder.isFull?.() === true) return;
      }
  });
}

/** How much one answer may hold. */
export interface AnswerLimits {
  readonly matches: number;
  /** Characters of their addresses and values. */
  readonly characters: number;
}

/** The matches of a pattern in one answer: all of them, or the first ones where there are more than the limits. */
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
}

/** Writes one leaf or inserts; with `dryRun` only shows what would be written. */
export async function set(files: Files, typed: string, request: SetRequest): Promise<SetAnswer> {
  const { path, kind } = readQuestion(typed, request);
  const edit: Edit = { verb: 'set', path, value: request.value, options: request.create ? { create: true } : {} };
  return change(files, typed, edit, kind, request);
}

export interface DeleteRequest extends Target {
  readonly dryRun?: boolean;
  readonly diff?: boolean;
}

/** Takes one place out of its file. */
export async function remove(files: Files, typed: string, request: DeleteRequest): Promise<SetAnswer> {
  const { path, kind } = readQuestion(typed, request);
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
  if (request.hides !== undefined && withOpen(files, located, (file) => isHidden(file, edit.path, request))) {
    const mark = markRefusal(edit);
    if (mark !== undefined) return mark;
    if (kind === 'dotenv') return changeMasked(files, located, edit, request);
    if (request.dryRun) throw secretFile(edit.path.file);
    return unquoted(edit.path.file, () => changeLocated(files, located, edit, kind, request));
  }
  return changeLocated(files, located, edit, kind, request);
}

/** The mark of a hidden value is no value. */
function markRefusal(edit: Edit): Refused | undefined {
  if (edit.verb !== 'set' || stepsOf(edit.path).at(-1)?.sub.type === 'insert') return undefined;
  const given = 'text' in edit.value ? edit.value.text : edit.value.json;
  if (given !== HIDDEN) return undefined;
  return refuse('not-writable', `${HIDDEN} stands for a value that is not shown; give the new value itself`);
}

/** A change of an environment whose values are hidden: nothing that is said of it quotes them. */
async function changeMasked(files: Files, located: Located, edit: Edit, request: DeleteRequest): Promise<SetAnswer> {
  if (request.dryRun !== true) return changeLocated(files, located, edit, 'dotenv', request);
  const [loader, { maskedPreview }] = await Promise.all([loaderFor('dotenv', files, 0), import('./masked.ts')]);
  return withOpen(files, located, (file) =>
    maskedPreview(loader.document(file), edit, located.path, request.diff === true),
  );
}

/** What stands in the way of a write without what it quotes of the file. */
async function unquoted(name: string, write: () => Promise<SetAnswer>): Promise<SetAnswer> {
  try {
    const answer = await write();
    if (answer.ok) return answer;
    return { ...answer, detail: 'the value does not fit; the file holds secrets, so nothing of it is quoted' };
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
  // Loading is not synchronous and must be done before the file is locked.
  const loader = await loaderFor(
    kind,
    files,
    withOpen(files, located, (file) => file.size),
    edit.path,
  );
  if (request.dryRun) return withOpen(files, located, (file) => preview(loader, file, edit, request.diff === true));
  const writer = await files.writer('path');
  return writer.exclusively([located], () =>
    withOpen(files, located, (file) => write(files, loader, file, edit, writer)),
  );
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

/** An append adds one newline, so a remembered count stays known. */
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

/** The bytes of a file through its parser and back, and whether they carry the redaction mark. */
export async function emit(
  files: Files,
  name: string,
  target: Target,
): Promise<{ readonly kind: KindName; readonly bytes: string; readonly sentinel: boolean }> {
  const kind = toldKind(target) ?? kindOf(target.file ?? name);
  const adapter = await loadKind(kind);
  return withOpen(files, files.locateOperator(target.file ?? name), (file) => {
    const bytes = adapter.parse(readText(file)).text;
    return { kind, bytes, sentinel: bytes.includes(REDACTED_SENTINEL) };
  });
}

/** The value that a write was given: text, or JSON when asked so. */
export function newValue(text: string, asJson: boolean): NewValue | Refused {
  if (!asJson) return { text };
  const read = readJson(text);
  if ('value' in read) return { json: read.value };
  return refuse(
    'parse-error',
    `the value is not JSON: ${read.error.message} at character ${read.error.offset + 1}; a string is written '"text"'`,
  );
}

async function withSubject<T>(
  files: Files,
  question: Question,
  target: Target,
  use: (subject: Subject) => T,
): Promise<T> {
  const file = openTarget(files, question, target);
  try {
    const loader = await loaderFor(question.kind, files, file.size, question.path);
    if (!isHidden(file, question.path, target)) return use(loader.subject(file));
    const { maskedSubject } = await import('./masked.ts');
    return use(maskedSubject(loader.document(file), loader.count));
  } catch (error) {
    throw error instanceof BrokenDocument ? error.inFile(file.located.path) : error;
  } finally {
    file.close();
  }
}
