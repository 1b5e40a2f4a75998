/** Many writes to any number of files, all or none. */
import { Fault } from '../../base/fault.ts';
import type { FileChange, Files, FileWriter, Located, OpenFile } from '../../hosts/files/shape.ts';
import { type JsonValue, JsonObject, readJson } from '../../text/json/value.ts';
import { type KindName, refuse } from '../../text/kind.ts';
import { encodeText } from '../../text/lines/bytes.ts';
import { changedLines, lineSplices } from '../../text/lines/compare.ts';
import { unifiedDiff } from '../../text/lines/unified.ts';
import type { Refused } from './answer.ts';
import { Draft } from './draft.ts';
import { type Loader, loaderFor } from './loader.ts';
import { locateTarget, type AddressRequest, parseRequest, type Target } from './request.ts';
import type { Edit } from './subject.ts';
import { toByteSplices } from './memory-subject.ts';

/** The first refused line; nothing was written. */
export interface BatchRefused extends Refused {
  readonly line: number;
  readonly path?: string;
}

export type BatchAnswer =
  | {
      readonly ok: true;
      readonly dryRun: boolean;
      readonly edits: number;
      readonly files: readonly { readonly fsPath: string; readonly bytesWritten: number; readonly diff?: string }[];
    }
  | BatchRefused;

interface Line {
  readonly number: number;
  readonly request: AddressRequest;
  readonly edit: Edit;
}

interface Group {
  readonly located: Located;
  readonly loader: Loader;
  readonly lines: Line[];
}

/** Applies JSON lines `{"path", "value" | "valueJson" | "delete"}` in order. */
export async function batch(
  files: Files,
  text: string,
  target: Target,
  options: { readonly dryRun: boolean; readonly diff: boolean; readonly create: boolean },
): Promise<BatchAnswer> {
  const lines: Line[] = [];
  for (const [index, source] of text.split('\n').entries()) {
    if (source.trim() === '') continue;
    const line = readLine(source, index + 1, target, options.create);
    if ('ok' in line) return line;
    lines.push(line);
  }
  const groups = await groupByFile(files, lines, target);
  if (options.dryRun)
    return plan(files, groups, (planned) => ({
      ok: true,
      dryRun: true,
      edits: lines.length,
      files: planned.map((file) => file.shown(options.diff)),
    }));
  const writer = await files.writer('path');
  return writer.exclusively(
    groups.map((group) => group.located),
    () =>
      plan(files, groups, (planned) => ({
        ok: true,
        dryRun: false,
        edits: lines.length,
        files: commit(writer, planned),
      })),
  );
}

function readLine(source: string, number: number, target: Target, create: boolean): Line | BatchRefused {
  const refused = (detail: string, path?: string): BatchRefused => ({
    ...refuse('parse-error', detail),
    line: number,
    ...(path === undefined ? {} : { path }),
  });
  const read = readJson(source);
  if ('error' in read) return refused(`line ${number} is not JSON: ${read.error.message}`);
  if (!(read.value instanceof JsonObject))
    return refused(`line ${number} is not an object with path and value, valueJson or delete`);
  const members = new Map<string, JsonValue>(read.value.entries);
  const path = members.get('path');
  if (typeof path !== 'string') return refused(`line ${number} has no path`);
  const unknown = [...members.keys()].find((key) => !['path', 'value', 'valueJson', 'delete'].includes(key));
  if (unknown !== undefined) return refused(`line ${number} has the unknown member ${JSON.stringify(unknown)}`, path);
  const given = ['value', 'valueJson', 'delete'].filter((key) => members.has(key));
  if (given.length !== 1) return refused(`line ${number} needs exactly one of value, valueJson and delete`, path);
  try {
    const request = parseRequest(path, target);
    if (members.get('delete') === true) return { number, request, edit: { verb: 'delete', path: request.path } };
    if (members.has('delete')) return refused(`line ${number}: delete must be true or absent`, path);
    const value = members.get('value');
    if (members.has('value') && typeof value !== 'string')
      return refused(`line ${number}: value must be a string; use valueJson for other JSON`, path);
    const json = members.get('valueJson');
    const edit: Edit = {
      verb: 'set',
      path: request.path,
      value: typeof value === 'string' ? { text: value } : { json: json ?? null },
      options: create ? { create } : {},
    };
    return { number, request, edit };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return refused(`line ${number}: ${error.message}`, path);
  }
}

async function groupByFile(files: Files, lines: readonly Line[], target: Target): Promise<Group[]> {
  const groups = new Map<string, Group>();
  for (const line of lines) {
    const located = onLine(line, () => locateTarget(files, line.request, target));
    const { kind } = line.request;
    const group = groups.get(located.path) ?? { located, loader: await loaderFor(kind, files, 0), lines: [] };
    onLine(line, () => expectKind(group, kind));
    group.lines.push(line);
    groups.set(located.path, group);
  }
  return [...groups.values()];
}

/** Two names of one file may have different kinds; all its edits must use the same kind. */
function expectKind({ located, loader, lines: [first] }: Group, kind: KindName): void {
  if (loader.kind === kind || first === undefined) return;
  throw new Fault('USAGE_ARGUMENTS', `${located.path} is ${loader.kind} in line ${first.number} and ${kind} here`, {
    hint: 'use one name for the file, or set its kind with --kind',
  });
}

/** Adds the number of the line to a fault. */
function onLine<T>(line: Line, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const { code, message, hint, details } = error;
    throw new Fault(code, `line ${line.number}: ${message}`, {
      ...(hint === undefined ? {} : { hint }),
      details: { ...details, batchLine: line.number },
      cause: error,
    });
  }
}

/** A file with all its edits applied in memory. */
interface Planned {
  readonly change: FileChange;
  readonly size: number;
  shown(diff: boolean): { fsPath: string; bytesWritten: number; diff?: string };
}

function plan(files: Files, groups: readonly Group[], then: (planned: Planned[]) => BatchAnswer): BatchAnswer {
  const open: OpenFile[] = [];
  try {
    const planned: Planned[] = [];
    for (const group of groups) {
      const file = files.open(group.located);
      open.push(file);
      const result = editAll(group, file);
      if ('ok' in result) return result;
      planned.push(result);
    }
    return then(planned);
  } finally {
    for (const file of open) file.close();
  }
}

function editAll(group: Group, file: OpenFile): Planned | BatchRefused {
  const before = group.loader.document(file);
  const draft = new Draft(before, (text) => group.loader.parse(text));
  for (const line of group.lines) {
    const outcome = onLine(line, () => draft.apply(line.edit));
    if (!outcome.ok)
      return {
        ...outcome,
        detail: `line ${line.number}: ${before.problems.length > 0 ? `${group.located.path}: ` : ''}${outcome.detail}`,
        line: line.number,
        path: line.request.typed,
      };
  }
  const after = draft.text();
  const size = encodeText(after).length;
  const fsPath = group.located.path;
  return {
    change: {
      file: group.located,
      stamp: file.stamp,
      edit: { splices: toByteSplices(before.text, changedLines(before.text, after)) },
    },
    size,
    shown: (diff) => ({
      fsPath,
      bytesWritten: size,
      ...(diff ? { diff: unifiedDiff(fsPath, before.text, lineSplices(before.text, after)) } : {}),
    }),
  };
}

function commit(writer: FileWriter, planned: readonly Planned[]) {
  const changed = planned.filter(
    ({ change }) => 'edit' in change && 'splices' in change.edit && change.edit.splices.length > 0,
  );
  if (changed.length > 0) writer.commit(changed.map(({ change }) => change));
  return planned.map((file) => file.shown(false));
}
