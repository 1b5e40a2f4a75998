import { Fault, type FaultCode } from '../base/fault.ts';
import { requestedClient } from '../wire/client-name.ts';
import type { ChangeFilter, Changes, FileDiff, Files, RecordedChange, Reversal } from '../hosts/files/shape.ts';
import { diffName } from '../text/lines/unified.ts';
import { boolean, describe, type Infer, integer, object, oneOf, string } from '../wire/schema.ts';
import { defineTool, textResult, type ToolContext } from './tool.ts';
import type { ToolResult } from '../wire/tool.ts';
import { parseSince } from './changes/since.ts';
import { changeLine, conflictTexts, someOf, widthsOf } from './changes/change-text.ts';
import { KEY_EDGE } from '../text/secrets/private-keys.ts';
import { hasPrivateKey } from './secrets/private-key.ts';
import { hidesName, showsKeys } from './secrets/secrets.ts';

const DEFAULT_LIMIT = 20;

/** A line of a diff with only base64, perhaps in quotes, as in a key or a certificate. A hexadecimal hash does not match. */
const KEY_BODY =
  /^[ +-][ \t'"`]*(?=[A-Za-z0-9+/=]*[g-zG-Z])[A-Za-z0-9+/=]{40,}(?![A-Za-z0-9+/=])(?:\\[nr])*[ \t\r'"`+,;.()\\]*$/mu;
/** The minimum content of a line of a key. */
const KEY_RUN = /[A-Za-z0-9+/=]{40}/u;
/** The head of the diff of a created or deleted file. */
const WHOLE_FILE = /^--- (?:\/dev\/null\n|[^\n]*\n\+\+\+ \/dev\/null\n)/u;

const INPUT = object(
  { action: describe(oneOf(['list', 'diff', 'undo', 'redo']), 'What to do.') },
  {
    id: string({ description: 'Id of a change, from list.' }),
    since: string({ description: 'For list and undo: changes since then, as ISO time or 10m, 2h, 1d ago.' }),
    agent: string({ description: 'For list: only changes of this agent.' }),
    client: string({ description: 'For list: only changes of this client, such as claude-code.' }),
    limit: integer({ min: 1, description: `For list: maximum number (default ${DEFAULT_LIMIT}).` }),
    path: string({ description: 'For list: only changes of this file or folder.' }),
    dryRun: boolean({ description: 'For undo and redo: show what would change, change nothing.' }),
  },
);
type Input = Infer<typeof INPUT>;

/** The tool `changes`: the record of the workspace. An agent can undo only its own changes through the same client. */
export const changesTool = defineTool({
  name: 'changes',
  description:
    'List the changes in the workspace, show one as a diff, undo your own changes, or redo what you undid. ' +
    'Without id, undo reverts your newest change and redo your newest undo; since reverts all changes from then on. ' +
    'An undo applies completely or not at all, and is refused when a file has changed since.',
  input: INPUT,
  effects: 'writes',
  effectsOf: (input) => (isWrite(input) ? 'writes' : 'reads'),
  run: async (input, context) => {
    const { agentPrefix } = context;
    const changes = await context.files.changes({ toWrite: isWrite(input) });
    const by = {
      operator: context.operator === true,
      dryRun: input.dryRun === true,
      ...(agentPrefix === undefined ? {} : { agentPrefix }),
    };
    switch (input.action) {
      case 'list':
        return list(changes, input, context);
      case 'diff':
        return diff(changes, input.id, context);
      case 'undo':
        return reversal(input, changes.undo(idsToUndo(changes, input), by), context);
      case 'redo':
        return reversal(input, changes.redo(input.id === undefined ? undefined : [input.id], by), context);
    }
  },
});

function isWrite({ action, dryRun }: Input): boolean {
  return (action === 'undo' || action === 'redo') && dryRun !== true;
}

function list(
  changes: Changes,
  { since, agent, client, limit = DEFAULT_LIMIT, path }: Input,
  { files }: ToolContext,
): ToolResult {
  const filter: ChangeFilter = {
    ...(since === undefined ? {} : { since: parseSince('changes', since) }),
    ...(agent === undefined ? {} : { agent }),
    ...(client === undefined ? {} : { client: requestedClient(client) ?? client }),
    ...(path === undefined ? {} : { path: files.placeOf(path, 'itself').file.path }),
  };
  const found: RecordedChange[] = [];
  for (const change of changes.list(filter)) {
    const shown = insideOnly(change, files);
    if (shown !== undefined && found.push(shown) === limit) break;
  }
  const widths = widthsOf(found);
  const lines = found.map((change) => changeLine(change, [], widths));
  return textResult(lines.length === 0 ? 'No changes are recorded.' : lines.join('\n'), { changes: found });
}

function diff(changes: Changes, id: string | undefined, context: ToolContext): ToolResult {
  if (id === undefined)
    throw new Fault('PARAM_MISSING', 'changes: the parameter id is missing', {
      hint: 'list shows the ids',
      details: { parameter: 'id' },
    });
  const found = changes.find(id);
  const change = found && insideOnly(found, context.files);
  if (change === undefined) throw noSuchChange(id);
  const diffs = changes
    .diff(change.id)
    ?.filter((_, i) => change.files.includes(found!.files[i]!))
    .map((one) => withheld(one, context));
  if (diffs === undefined)
    throw new Fault(
      'CHANGE_NOT_KEPT',
      `the record has no content of ${change.id}${change.notKept === undefined ? '' : `: ${change.notKept}`}`,
      {
        hint: 'list shows the files that it changed',
        details: { change: change.id },
      },
    );
  const text = diffs.map((one) => one.diff).join('');
  return textResult(text, { change, diff: text });
}

/** Undefined means the newest change. `since` covers only changes of this author. */
function idsToUndo(changes: Changes, { id, since }: Input): readonly string[] | undefined {
  if (id !== undefined) return [id];
  if (since === undefined) return undefined;
  const { agent, client } = changes.author;
  return changes
    .list({ agent, client, since: parseSince('changes', since), inEffect: true })
    .map((change) => change.id);
}

function noSuchChange(id: string): Fault {
  return new Fault('CHANGE_NOT_FOUND', `unknown change ${JSON.stringify(id)}`, { hint: 'list shows the ids' });
}

const FAULTS = {
  'nothing-to-do': 'CHANGE_REFUSED',
  'not-kept': 'CHANGE_REFUSED',
  'no-such-change': 'CHANGE_NOT_FOUND',
  'not-yours': 'CHANGE_NOT_YOURS',
  'changed-since': 'CHANGE_CONFLICT',
} as const satisfies Record<Extract<Reversal, { ok: false }>['reason'], FaultCode>;

function reversal({ action, dryRun }: Input, outcome: Reversal, context: ToolContext): ToolResult {
  if (!outcome.ok) {
    const conflicts = outcome.conflicts.map((one) => {
      return isSecret([one.path], [one.since, one.back], context) ? { ...one, since: '', back: '' } : one;
    });
    throw new Fault(FAULTS[outcome.reason], outcome.message, {
      hint: [outcome.hint, ...conflictTexts(conflicts)].join('\n'),
      details: { reason: outcome.reason, conflicts },
    });
  }
  const diffs = outcome.diffs.map((one) => withheld(one, context));
  const ids = outcome.changes.map(({ id }) => id);
  const paths = [...new Set(diffs.map(({ path }) => path))];
  const files = paths.length === 0 ? '' : ` (${someOf(paths.map(diffName), 'files')})`;
  const already =
    outcome.already.length === 0
      ? ''
      : `; already ${action === 'undo' ? 'undone' : 'redone'}: ${someOf(outcome.already.map(diffName), 'files')}`;
  const done = dryRun === true ? `Would ${action}` : action === 'undo' ? 'Undid' : 'Redid';
  return textResult(`${done} ${someOf(ids, 'changes')}${files}${already}`, {
    ...(dryRun === true ? { dryRun } : { id: outcome.id }),
    changes: ids,
    already: outcome.already,
    files: diffs.map(({ path }) => path),
    diff: diffs.map((one) => one.diff).join(''),
  });
}

/** Drops the files that tools cannot reach; undefined when none is left. */
function insideOnly(change: RecordedChange, files: Files): RecordedChange | undefined {
  const inside = change.files.filter(({ path, movedTo = path }) =>
    [path, movedTo].every((one) => isReachable(one, files)),
  );
  if (inside.length === change.files.length) return change;
  return inside.length === 0 ? undefined : { ...change, files: inside };
}

/** Whether a tool may access a file of a change; the operator may have changed files outside the boundary. */
function isReachable(name: string, files: Files): boolean {
  // Names of files in the workspace are relative.
  if (!/^(?:[/\\]|[A-Za-z]:[/\\])/u.test(name)) return true;
  try {
    files.placeOf(name, 'itself');
    return true;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return error.code !== 'FS_OUTSIDE_WORKSPACE' && error.code !== 'FS_PROTECTED';
  }
}

/** A diff must not show what the tool `read` hides. */
function withheld(one: FileDiff, context: ToolContext): FileDiff {
  return isSecret([one.path, one.movedTo ?? one.path], [one.diff], context)
    ? { ...one, diff: `the diff of ${diffName(one.path)} is withheld: it may show secret values\n` }
    : one;
}

/** Checks names, diffs and the current file: a hunk may show the middle of a private key. */
function isSecret(names: readonly string[], diffs: readonly string[], context: ToolContext): boolean {
  if (hidesName(names, context)) return true;
  if (showsKeys(names, context)) return false;
  if (diffs.some((text) => KEY_EDGE.test(text) || KEY_BODY.test(text))) return true;
  const contents = [...new Set(names)].map((name) => containsKeyNow(name, context.files));
  if (contents.includes(true)) return true;
  // Without the file, only a diff of its whole content shows whether a run of base64 belongs to a key.
  return !contents.includes(false) && diffs.some((text) => KEY_RUN.test(hunksOf(text)) && !WHOLE_FILE.test(text));
}

function hunksOf(diff: string): string {
  const start = diff.search(/^@@ /mu);
  return start < 0 ? '' : diff.slice(start);
}

/** Undefined where the file cannot be read. */
function containsKeyNow(name: string, files: Files): boolean | undefined {
  try {
    const file = files.openPath(name);
    try {
      return hasPrivateKey(file);
    } finally {
      file.close();
    }
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}
