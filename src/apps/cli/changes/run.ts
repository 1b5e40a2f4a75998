/** `pincer changes`, `pincer undo` and `pincer redo`: the record of what was written, and the way back. */
import { Fault } from '../../../base/fault.ts';
import { agentName, commandLineAuthor, isOperator } from '../../../config/agent.ts';
import { homeFolder, stateFolder } from '../../../config/state.ts';
import { localFiles } from '../../../hosts/files/files.ts';
import type { ChangeFilter, Changes, Files, Reversal } from '../../../hosts/files/shape.ts';
import { parseSince } from '../../../tools/changes/since.ts';
import { completeLeftovers } from '../../leftovers.ts';
import { type CommandDefinition, helpOf, shapeOf } from '../definition.ts';
import { reportFailure, reportNotice } from '../failure.ts';
import { clientFilter, count, toolboxOptions } from '../operator.ts';
import { BrokenPipe, type Output, quietly } from '../../terminal/output.ts';
import {
  asksForHelp,
  type CommandShape,
  type CommandWords,
  readWords,
  usage,
  wantsJson,
  errorsAsJson,
} from '../arguments.ts';
import * as definitions from './definition.ts';
import {
  changesInside,
  endsWithIt,
  type InsidePlace,
  insideNotice,
  isLater,
  newestInside,
  notAsked,
  reverseInside,
} from './inside.ts';
import { showDiffs, showList, showReversal } from './show.ts';

const TARGET = ['workspace', 'hard-links', 'protect'];
const USUAL_LIMIT = 20;

const CHANGES = shapeOf(definitions.changes);
const UNDO = shapeOf(definitions.undo);
const REDO = shapeOf(definitions.redo);

interface Run {
  readonly args: CommandWords;
  /** Where agents write in a sandbox, which keeps a record of its own. */
  readonly inside: InsidePlace | undefined;
  readonly notice: (message: string) => void;
  readonly files: Files;
  readonly changes: Changes;
  readonly json: boolean;
  readonly output: Output;
}

export function runChanges(argv: readonly string[], output: Output): Promise<number> {
  return run(definitions.changes, argv, output, async ({ args, files, changes, json, inside, notice }) => {
    const [id] = args.words;
    // An empty list would say that nothing was changed.
    if (inside !== undefined) notice(await insideNotice(inside));
    if (id === undefined) {
      const limit =
        args.options['limit'] === undefined ? USUAL_LIMIT : count(CHANGES, '--limit', args.options['limit']);
      const found = changes.list({ ...filterOf(CHANGES, args, files), limit });
      return showList(found, (change) => changes.diff(change), { json, diff: args.flags.has('diff'), output });
    }
    if (Object.keys(args.options).some((name) => !TARGET.includes(name)))
      throw usage(
        CHANGES,
        'an id is given without other flags',
        'leave out --since, --agent, --client, --path and --limit',
      );
    const change = changes.find(id);
    if (change === undefined)
      throw new Fault('CHANGE_NOT_FOUND', `there is no recorded change ${JSON.stringify(id)}, or several begin so`, {
        hint: 'pincer changes lists what was recorded',
        details: { change: id },
      });
    return showDiffs(change, changes.diff(change.id), { json, output });
  });
}

export function runUndo(argv: readonly string[], output: Output): Promise<number> {
  return run(definitions.undo, argv, output, async (asked) => {
    const { args, files, changes, json } = asked;
    const dryRun = args.flags.has('dry-run');
    if (Object.keys(filterOf(UNDO, args, files)).length === 0) {
      const target = await targetInside('undo', asked);
      if (target !== undefined) return reverseTarget('undo', target, asked);
    } else if (asked.inside !== undefined) asked.notice(await insideNotice(asked.inside));
    const outcome = changes.undo(idsToUndo(args, files, changes), { dryRun, operator: isOperator() });
    return showReversal('undo', args.words.length === 0 ? withSettingsHint(outcome) : outcome, {
      json,
      dryRun,
      output,
    });
  });
}

export function runRedo(argv: readonly string[], output: Output): Promise<number> {
  return run(definitions.redo, argv, output, async (asked) => {
    const { args, changes, json } = asked;
    const target = await targetInside('redo', asked);
    if (target !== undefined) return reverseTarget('redo', target, asked);
    const dryRun = args.flags.has('dry-run');
    const ids = args.words.length === 0 ? undefined : args.words;
    return showReversal('redo', changes.redo(ids, { dryRun, operator: isOperator() }), { json, dryRun, output });
  });
}

/** Whoever wants the last `config set` back hears how. */
function withSettingsHint(outcome: Reversal): Reversal {
  if (outcome.ok || outcome.reason !== 'nothing-to-do') return outcome;
  return { ...outcome, hint: `${outcome.hint}; pincer config undo takes settings back` };
}

/**
 * The change in the sandbox that is meant: the one that is named and not recorded on this machine, or the newest of both
 * records. Where a sandbox cannot be asked, or one that has ended may have had the newest, another change is not taken in its
 * place.
 */
async function targetInside(verb: Verb, { args, changes, inside: place, notice }: Run): Promise<Target | undefined> {
  const [id] = args.words;
  if (place === undefined || (id !== undefined && changes.find(id) !== undefined)) return undefined;
  const recorded = await changesInside(place);
  if ('why' in recorded) {
    if (id === undefined) throw notAsked(recorded);
    notice(recorded.why);
    return undefined;
  }
  if (id !== undefined) return { id, place };
  const newest = newestInside(verb, recorded.changes);
  const here = changes[verb](undefined, { dryRun: true, operator: isOperator() });
  if (newest !== undefined) return isLater(here, newest) ? undefined : { id: newest.id, place };
  // What is later than one change in the sandbox that runs is later than all changes in sandboxes before it.
  if (!here.ok || recorded.changes.some((change) => isLater(here, change))) return undefined;
  throw notAsked({
    why: endsWithIt(`the sandbox has no change to ${verb}, and one before it may have had the newest`),
  });
}

type Verb = 'undo' | 'redo';

interface Target {
  readonly id: string;
  readonly place: InsidePlace;
}

async function reverseTarget(verb: Verb, { id, place }: Target, { args, json, output }: Run): Promise<number> {
  if (args.flags.has('dry-run'))
    throw usage(
      verb === 'undo' ? UNDO : REDO,
      `${id} is a change in the sandbox, where --dry-run is not possible`,
      `pincer call changes '${JSON.stringify({ action: 'diff', id })}' --allow-undo shows the change`,
    );
  return reverseInside(verb, id, place, { json, output });
}

/** One id, or everything that a filter lets through; without either the newest change that stands. */
function idsToUndo(args: CommandWords, files: Files, changes: Changes): readonly string[] | undefined {
  const filter = filterOf(UNDO, args, files);
  const filtered = Object.keys(filter).length > 0;
  if (args.words.length > 0) {
    if (filtered)
      throw usage(UNDO, 'an id is given without other flags', 'give an id, or --since, --agent, --client and --path');
    return args.words;
  }
  if (!filtered) return undefined;
  return changes.list({ ...filter, standing: true }).map(({ id }) => id);
}

function filterOf(shape: CommandShape, { options }: CommandWords, files: Files): ChangeFilter {
  const { since, agent, client, conversation, path } = options;
  return {
    ...(since === undefined ? {} : { since: parseSince(`${shape.command} --since`, since) }),
    ...(agent === undefined ? {} : { agent }),
    ...(client === undefined ? {} : { client: clientFilter(shape, client) }),
    ...(conversation === undefined ? {} : { conversation }),
    ...(path === undefined ? {} : { path: files.placeOf(path, 'itself').file.path }),
  };
}

async function run(
  definition: CommandDefinition,
  argv: readonly string[],
  output: Output,
  work: (run: Run) => Promise<number>,
): Promise<number> {
  const json = wantsJson(argv, output.isTerminal);
  try {
    if (asksForHelp(argv)) {
      output.out(helpOf(definition));
      return 0;
    }
    const shape = shapeOf(definition);
    const args = readWords(shape, argv);
    const told = quietly(output, args.flags.has('quiet'));
    const options = await toolboxOptions(shape, args);
    const { workspace, workspaceOnly = true, hardLinks = 'refuse', protect, sandboxed, restrictions } = options;
    const notice = (message: string) => reportNotice(message, errorsAsJson(argv, output), told);
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
    const { agent = agentName(), conversation } = options;
    const toWrite = definition !== definitions.changes;
    const inside = sandboxed === true ? { folder: files.workspace, agent, conversation, restrictions } : undefined;
    return await work({ args, inside, notice, files, changes: await files.changes({ toWrite }), json, output });
  } catch (error) {
    if (error instanceof BrokenPipe) throw error;
    return reportFailure(error, errorsAsJson(argv, output), output);
  }
}
