/** `pincer changes`, `pincer undo` and `pincer redo`. */
import { realpathSync } from 'node:fs';
import { Fault } from '../../../base/fault.ts';
import { agentName, commandLineAuthor, isOperator } from '../../../config/agent.ts';
import { homeFolder, stateFolder } from '../../../config/state.ts';
import { localFiles } from '../../../hosts/files/files.ts';
import type { ChangeFilter, Changes, Files, Reversal } from '../../../hosts/files/shape.ts';
import { parseSince } from '../../../tools/changes/since.ts';
import { completeLeftovers } from '../../leftovers.ts';
import { type CommandDefinition, shapeOf } from '../definition.ts';
import { reportNotice } from '../failure.ts';
import { runCommand } from '../run-command.ts';
import { clientFilter, positiveInteger, toolboxOptions } from '../toolbox-options.ts';
import { type Output, quietly } from '../../terminal/output.ts';
import {
  type CommandShape,
  type ParsedArguments,
  readArguments,
  usage,
  wantsJson,
  errorsAsJson,
} from '../arguments.ts';
import * as definitions from './definition.ts';
import {
  sandboxChanges,
  withRecordLoss,
  type SandboxRecord,
  sandboxNotice,
  isLater,
  newestSandboxChange,
  recordUnavailable,
  reverseInSandbox,
} from './sandbox-changes.ts';
import { otherRecord, runChangesOnNode, undoMeansNode } from './node-changes.ts';
import { printChange, printList, printReversal } from './print-changes.ts';

const TARGET = ['workspace', 'hard-links', 'protect'];
const DEFAULT_LIMIT = 20;

const CHANGES = shapeOf(definitions.changes);
const UNDO = shapeOf(definitions.undo);
const REDO = shapeOf(definitions.redo);

interface ChangesRun {
  readonly args: ParsedArguments;
  /** Set if the agent works in a sandbox, which keeps its own record. */
  readonly inside: SandboxRecord | undefined;
  /** Set if the agent's file tools work on a node, which keeps its own record. */
  readonly bound: { readonly node: string; readonly agent: string } | undefined;
  readonly notice: (message: string) => void;
  readonly files: Files;
  readonly changes: Changes;
  readonly json: boolean;
  readonly output: Output;
}

export function runChanges(argv: readonly string[], output: Output): Promise<number> {
  return runChangesCommand(
    definitions.changes,
    argv,
    output,
    async ({ args, files, changes, json, inside, bound, notice }) => {
      const [id] = args.positionals;
      // An empty list would suggest that nothing was changed.
      if (bound !== undefined) notice(otherRecord(bound));
      else if (inside !== undefined) notice(await sandboxNotice(inside));
      if (id === undefined) {
        const limit =
          args.options['limit'] === undefined
            ? DEFAULT_LIMIT
            : positiveInteger(CHANGES, '--limit', args.options['limit']);
        const found = changes.list({ ...filterOf(CHANGES, args, files), limit });
        return printList(found, (change) => changes.diff(change), { json, diff: args.flags.has('diff'), output });
      }
      if (Object.keys(args.options).some((name) => !TARGET.includes(name)))
        throw usage(CHANGES, 'an id excludes other filters', 'remove --since, --agent, --client, --path and --limit');
      const change = changes.find(id);
      if (change === undefined)
        throw new Fault('CHANGE_NOT_FOUND', `unknown or ambiguous change ${JSON.stringify(id)}`, {
          hint: 'pincer changes lists the recorded changes',
          details: { change: id },
        });
      return printChange(change, changes.diff(change.id), { json, output });
    },
  );
}

export function runUndo(argv: readonly string[], output: Output): Promise<number> {
  return runChangesCommand(definitions.undo, argv, output, async (run) => {
    const { args, files, changes, json } = run;
    const dryRun = args.flags.has('dry-run');
    if (run.bound !== undefined && args.positionals.length === 0) throw undoMeansNode('undo', run.bound);
    if (Object.keys(filterOf(UNDO, args, files)).length === 0) {
      const target = await sandboxTarget('undo', run);
      if (target !== undefined) return reverseTarget('undo', target, run);
    } else if (run.inside !== undefined) run.notice(await sandboxNotice(run.inside));
    const outcome = changes.undo(idsToUndo(args, files, changes), { dryRun, operator: isOperator() });
    return printReversal('undo', args.positionals.length === 0 ? withSettingsHint(outcome) : outcome, {
      json,
      dryRun,
      output,
    });
  });
}

export function runRedo(argv: readonly string[], output: Output): Promise<number> {
  return runChangesCommand(definitions.redo, argv, output, async (run) => {
    const { args, changes, json } = run;
    if (run.bound !== undefined && args.positionals.length === 0) throw undoMeansNode('redo', run.bound);
    const target = await sandboxTarget('redo', run);
    if (target !== undefined) return reverseTarget('redo', target, run);
    const dryRun = args.flags.has('dry-run');
    const ids = args.positionals.length === 0 ? undefined : args.positionals;
    return printReversal('redo', changes.redo(ids, { dryRun, operator: isOperator() }), { json, dryRun, output });
  });
}

/** Settings have their own undo. */
function withSettingsHint(outcome: Reversal): Reversal {
  if (outcome.ok || outcome.reason !== 'nothing-to-do') return outcome;
  return { ...outcome, hint: `${outcome.hint}; pincer config undo reverts settings` };
}

/**
 * The change in the sandbox to reverse: the named one if it is not recorded on this machine, or the newest of both records.
 * If a sandbox record is unavailable and may contain the newest change, no other change is taken instead.
 */
async function sandboxTarget(
  verb: Verb,
  { args, changes, inside: place, notice }: ChangesRun,
): Promise<Target | undefined> {
  const [id] = args.positionals;
  if (place === undefined || (id !== undefined && changes.find(id) !== undefined)) return undefined;
  const recorded = await sandboxChanges(place);
  if ('why' in recorded) {
    if (id === undefined) throw recordUnavailable(recorded);
    notice(recorded.why);
    return undefined;
  }
  if (id !== undefined) return { id, place };
  const newest = newestSandboxChange(verb, recorded.changes);
  const here = changes[verb](undefined, { dryRun: true, operator: isOperator() });
  if (newest !== undefined) return isLater(here, newest) ? undefined : { id: newest.id, place };
  // A change later than one in the running sandbox is also later than all changes in earlier sandboxes.
  if (!here.ok || recorded.changes.some((change) => isLater(here, change))) return undefined;
  throw recordUnavailable({
    why: withRecordLoss(`the sandbox has no change to ${verb}; the newest may have been in an earlier sandbox`),
  });
}

type Verb = 'undo' | 'redo';

interface Target {
  readonly id: string;
  readonly place: SandboxRecord;
}

async function reverseTarget(verb: Verb, { id, place }: Target, { args, json, output }: ChangesRun): Promise<number> {
  if (args.flags.has('dry-run'))
    throw usage(
      verb === 'undo' ? UNDO : REDO,
      `${id} is a change in the sandbox, which does not support --dry-run`,
      `pincer call changes '${JSON.stringify({ action: 'diff', id })}' --allow-undo shows the change`,
    );
  return reverseInSandbox(verb, id, place, { json, output });
}

/** The named id, or all that match the filter; undefined means the newest change that is not undone. */
function idsToUndo(args: ParsedArguments, files: Files, changes: Changes): readonly string[] | undefined {
  const filter = filterOf(UNDO, args, files);
  const filtered = Object.keys(filter).length > 0;
  if (args.positionals.length > 0) {
    if (filtered)
      throw usage(UNDO, 'an id excludes other filters', 'give an id, or --since, --agent, --client and --path');
    return args.positionals;
  }
  if (!filtered) return undefined;
  return changes.list({ ...filter, inEffect: true }).map(({ id }) => id);
}

function filterOf(shape: CommandShape, { options }: ParsedArguments, files: Files): ChangeFilter {
  const { since, agent, client, conversation, path } = options;
  return {
    ...(since === undefined ? {} : { since: parseSince(`${shape.command} --since`, since) }),
    ...(agent === undefined ? {} : { agent }),
    ...(client === undefined ? {} : { client: clientFilter(shape, client) }),
    ...(conversation === undefined ? {} : { conversation }),
    ...(path === undefined ? {} : { path: files.placeOf(path, 'itself').file.path }),
  };
}

function runChangesCommand(
  definition: CommandDefinition,
  argv: readonly string[],
  output: Output,
  work: (run: ChangesRun) => Promise<number>,
): Promise<number> {
  const json = wantsJson(argv, output.isTerminal);
  return runCommand(definition, argv, output, async () => {
    const shape = shapeOf(definition);
    const args = readArguments(shape, argv);
    const quiet = quietly(output, args.flags.has('quiet'));
    const options = await toolboxOptions(shape, args);
    const { workspace, workspaceOnly = true, hardLinks = 'refuse', protect, sandboxed, restrictions, node } = options;
    const { agent = agentName(), conversation } = options;
    if (args.options['node'] !== undefined && node !== undefined) {
      const record = { node, agent: agentName(), folder: realpathSync(workspace), restrictions };
      return runChangesOnNode(definition.name as 'changes', shape, args, record, { json, output: quiet });
    }
    const notice = (message: string) => reportNotice(message, errorsAsJson(argv, output), quiet);
    const files = localFiles({
      onWarning: (warning) => reportNotice(warning, json, output), // before anything is written
      cwd: workspace,
      stateDir: stateFolder(),
      home: homeFolder(),
      author: commandLineAuthor(),
      workspaceOnly,
      hardLinks,
      ...(protect === undefined ? {} : { protect }),
    });
    await completeLeftovers(files, notice);
    const toWrite = definition !== definitions.changes;
    const bound = node === undefined ? undefined : { node, agent };
    const inside =
      sandboxed === true && bound === undefined
        ? { folder: files.workspace, agent, conversation, restrictions }
        : undefined;
    return work({ args, inside, bound, notice, files, changes: await files.changes({ toWrite }), json, output });
  });
}
