/** `pincer changes`, `pincer undo` and `pincer redo`: the record of what was written, and the way back. */
import { Fault } from '../../../base/fault.ts';
import { commandLineAuthor, isOperator } from '../../../config/agent.ts';
import { homeFolder, stateFolder } from '../../../config/state.ts';
import { localFiles } from '../../../hosts/files/files.ts';
import type { ChangeFilter, Changes, Files, Reversal } from '../../../hosts/files/shape.ts';
import { sinceTime } from '../../../tools/changes/since.ts';
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
} from '../words.ts';
import * as definitions from './definition.ts';
import { showDiffs, showList, showReversal } from './show.ts';

const TARGET = ['workspace', 'hard-links', 'protect'];
const USUAL_LIMIT = 20;

/** An empty list would say that nothing was changed. */
const RECORDED_INSIDE =
  'changes made in the sandbox are not in this list; to see them while the sandbox runs: ' +
  `pincer call changes '{"action":"list"}' --allow-undo`;

const FILTERS = ['since', 'agent', 'client', 'conversation', 'path'];

const CHANGES = shapeOf(definitions.changes);
const UNDO = shapeOf(definitions.undo);
const REDO = shapeOf(definitions.redo);

interface Run {
  readonly args: CommandWords;
  /** What agents write may be recorded elsewhere. */
  readonly sandboxed: boolean;
  readonly files: Files;
  readonly changes: Changes;
  readonly json: boolean;
  readonly output: Output;
}

export function runChanges(argv: readonly string[], output: Output): Promise<number> {
  return run(definitions.changes, argv, output, ({ args, files, changes, json }) => {
    const [id] = args.words;
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
  return run(definitions.undo, argv, output, ({ args, files, changes, json, sandboxed }) => {
    if (sandboxed) refuseGuess(UNDO, args);
    const dryRun = args.flags.has('dry-run');
    const outcome = changes.undo(idsToUndo(args, files, changes), { dryRun, operator: isOperator() });
    return showReversal('undo', args.words.length === 0 ? withSettingsHint(outcome) : outcome, {
      json,
      dryRun,
      output,
    });
  });
}

export function runRedo(argv: readonly string[], output: Output): Promise<number> {
  return run(definitions.redo, argv, output, ({ args, changes, json, sandboxed }) => {
    if (sandboxed) refuseGuess(REDO, args);
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

/** The newest change may be one in the sandbox: another one is not taken in its place. */
function refuseGuess(shape: CommandShape, { words, options }: CommandWords): void {
  if (words.length === 0 && FILTERS.every((name) => options[name] === undefined))
    throw usage(
      shape,
      'name the change: the newest may be one in the sandbox',
      'pincer changes lists those of this machine',
    );
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
    ...(since === undefined ? {} : { since: sinceTime(`${shape.command} --since`, since) }),
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
  work: (run: Run) => number,
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
    const { workspace, workspaceOnly = true, hardLinks = 'refuse', protect, sandboxed } = options;
    if (sandboxed === true) reportNotice(RECORDED_INSIDE, errorsAsJson(argv, output), told);
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
    await completeLeftovers(files, (message) => reportNotice(message, errorsAsJson(argv, output), told));
    return work({ args, sandboxed: sandboxed === true, files, changes: await files.changes(), json, output });
  } catch (error) {
    if (error instanceof BrokenPipe) throw error;
    return reportFailure(error, errorsAsJson(argv, output), output);
  }
}
