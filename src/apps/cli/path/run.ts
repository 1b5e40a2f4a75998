/** `pincer path <verb>`. */
import { isAbsolute } from 'node:path';
import { Fault } from '../../../base/fault.ts';
import { agentName, commandLineAuthor } from '../../../config/agent.ts';
import { hasConfig } from '../../../config/config-files.ts';
import { stateFolder } from '../../../config/state.ts';
import { localFiles } from '../../../hosts/files/files.ts';
import { REDACTED_SENTINEL } from '../../../text/address/sentinel.ts';
import { encodeText } from '../../../text/lines/bytes.ts';
import type { SetAnswer } from '../../../tools/path/answer.ts';
import { emit, newValue, remove, resolve, resolveRaw, set, validate } from '../../../tools/path/verbs.ts';
import { completeLeftovers } from '../../leftovers.ts';
import { currentFolder } from '../current-folder.ts';
import { helpOf } from '../definition.ts';
import { BrokenPipe, jsonOutput, type Output, quietly, showContent } from '../../terminal/output.ts';
import { reportFailure, reportNotice } from '../failure.ts';
import { paint, type Paint } from '../../terminal/paint.ts';
import { visible, visibleLine } from '../../terminal/visible.ts';
import { didYouMean } from '../../../text/nearest-names.ts';
import { asksForHelp, type ParsedArguments, errorsAsJson } from '../arguments.ts';
import { readArgs, VERBS } from './args.ts';
import type { Preview, Run } from './command.ts';
import { renderResolve, renderValidate } from './render-text.ts';
import { renderJson, renderJsonLine } from './render-json.ts';

type Verb = (run: Run) => Promise<number> | number;

const RUN: Readonly<Record<string, Verb>> = {
  resolve: runResolve,
  find: async (run) => (await import('./find.ts')).runFind(run),
  set: runSet,
  delete: runDelete,
  validate: ({ args, json, style, output }) => runValidate(args, json, style, output),
  emit: runEmit,
  ls: async (run) => (await import('./ls.ts')).runLs(run),
  watch: async (run) => (await import('./watch.ts')).runWatch(run),
};

export async function runPath(argv: readonly string[], output: Output): Promise<number> {
  const [verb, ...rest] = argv;
  let errorJson = errorsAsJson(argv, output);
  try {
    if (verb === undefined || verb === 'help' || asksForHelp(argv)) {
      output.out(helpOf((await import('./definition.ts')).definition));
      return 0;
    }
    if (verb === '--stdin') return await (await import('./stdin.ts')).runStdin(runPath);
    const command = Object.hasOwn(RUN, verb) ? RUN[verb] : undefined;
    if (command === undefined)
      throw new Fault('USAGE_UNKNOWN_VERB', `path: unknown verb ${JSON.stringify(verb)}${suggestion(verb)}`, {
        hint: `verbs: ${Object.keys(VERBS).join(', ')}; see pincer path --help`,
      });
    const args = readArgs(verb, rest);
    const form = args.flags.has('json') ? 'json' : args.flags.has('human') ? 'human' : undefined;
    const json = form === undefined ? !output.isTerminal : form === 'json';
    errorJson = form === undefined ? !output.errorIsTerminal : form === 'json';
    const quiet = quietly(output, args.flags.has('quiet'));
    const shown = json ? jsonOutput(quiet) : quiet;
    if (verb === 'validate') return runValidate(args, json, paint(output.colour), shown);
    const cwd = workingFolder(args);
    if (hasConfig(cwd)) await refuseWhenDisabled(cwd);
    const { node = await boundNode(args, cwd) } = args.options;
    if (node !== undefined) {
      previewFlags(args);
      const { runOnNode } = await import('./on-node.ts');
      return await runOnNode(verb, node, { args, cwd, json, errorJson, style: paint(output.colour), output: shown });
    }
    // Printed before anything is written.
    const onWarning = (warning: string): void => reportNotice(warning, errorJson, quiet);
    const files = localFiles({ cwd, stateDir: stateFolder(), author: commandLineAuthor(), onWarning });
    await completeLeftovers(files, (message) => reportNotice(message, errorJson, quiet));
    return await command({ args, files, cwd, json, errorJson, style: paint(output.colour), output: shown });
  } catch (error) {
    if (error instanceof BrokenPipe) throw error;
    return reportFailure(error, errorJson, output);
  }
}

/** Verbs of other tools, and what they are called here. */
const SYNONYMS: Readonly<Record<string, string>> = {
  get: 'resolve',
  read: 'resolve',
  show: 'resolve',
  query: 'find',
  search: 'find',
  write: 'set',
  put: 'set',
  remove: 'delete',
  rm: 'delete',
  unset: 'delete',
  del: 'delete',
  cat: 'emit',
  list: 'ls',
};

function suggestion(verb: string): string {
  const synonym = Object.hasOwn(SYNONYMS, verb) ? SYNONYMS[verb] : undefined;
  return synonym === undefined ? didYouMean(verb, Object.keys(VERBS)) : `; did you mean ${synonym}`;
}

/** An unreadable configuration file disables nothing: this command may be needed to correct it. */
async function refuseWhenDisabled(folder: string): Promise<void> {
  try {
    await (await import('../../../config/plugins.ts')).refuseDisabledPlugin('oc-path', folder);
  } catch (error) {
    if (!(error instanceof Fault) || error.code === 'CONFIG_PLUGIN_DISABLED') throw error;
  }
}

/**
 * The node of the file tools. `--cwd` and `--file` name a folder or a file of this machine; without them, a configuration that cannot
 * be read is a fault, because it may choose a node.
 */
async function boundNode({ options }: ParsedArguments, folder: string): Promise<string | undefined> {
  if (options['cwd'] !== undefined || options['file'] !== undefined || !hasConfig(folder)) return undefined;
  const { configuredToolbox } = await import('../../configured-toolbox.ts');
  return (await configuredToolbox({ workspace: folder, agent: agentName(), asks: 'operator' })).node;
}

/** An absolute --file needs no current directory. */
function workingFolder({ options: { cwd, file } }: ParsedArguments): string {
  try {
    return currentFolder(cwd, 'choose a folder with --cwd, or change to one that exists');
  } catch (error) {
    if (file !== undefined && isAbsolute(file)) return '/';
    throw error;
  }
}

async function runResolve({ args, files, json, errorJson, style, output }: Run): Promise<number> {
  const typed = args.positionals[0]!;
  if (args.flags.has('raw')) {
    const raw = await resolveRaw(files, typed, args.options);
    if (raw === undefined) {
      output.err(
        errorJson ? renderJsonLine({ resolved: false, ocPath: typed }) : `${visibleLine(`not found: ${typed}`)}\n`,
      );
      return 1;
    }
    showContent(encodeText(raw.endsWith('\n') ? raw : `${raw}\n`), output);
    return 0;
  }
  const answer = await resolve(files, typed, args.options);
  output.out(json ? renderJson(answer) : renderResolve(answer, style));
  return answer.resolved ? 0 : 1;
}

function runValidate(args: ParsedArguments, json: boolean, style: Paint, output: Output): number {
  const answer = validate(args.positionals[0]!);
  output.out(json ? renderJson(answer) : renderValidate(answer, style));
  return answer.valid ? 0 : 1;
}

async function runSet(run: Run): Promise<number> {
  const { args, files } = run;
  const preview = previewFlags(args);
  if (args.options['batch'] !== undefined)
    return (await import('./batch.ts')).runBatch(run, args.options['batch'], preview);
  const [typed, text] = args.positionals as [string, string];
  const value = newValue(text, args.flags.has('value-json'));
  if ('ok' in value) return showWrite('set', run, value, preview);
  const answer = await set(files, typed, { ...args.options, value, create: args.flags.has('create'), ...preview });
  return showWrite('set', run, answer, preview);
}

async function runDelete(run: Run): Promise<number> {
  const preview = previewFlags(run.args);
  return showWrite(
    'delete',
    run,
    await remove(run.files, run.args.positionals[0]!, { ...run.args.options, ...preview }),
    preview,
  );
}

function previewFlags(args: ParsedArguments): Preview {
  const dryRun = args.flags.has('dry-run');
  const diff = args.flags.has('diff');
  if (diff && !dryRun)
    throw new Fault('USAGE_ARGUMENTS', '--diff requires --dry-run', {
      hint: 'add --dry-run to see the change, or remove --diff to write it',
    });
  return { dryRun, diff };
}

function showWrite(verb: 'set' | 'delete', { json, style, output }: Run, answer: SetAnswer, { diff }: Preview): number {
  if (json) output.out(renderJson(answer));
  else if (!answer.ok) output.out(`${style.bad(`${verb} failed:`)} ${answer.reason} — ${visible(answer.detail)}\n`);
  else if (!answer.dryRun) output.out(`${visibleLine(`wrote ${answer.bytesWritten} bytes to ${answer.fsPath}`)}\n`);
  else {
    const bytes = encodeText(answer.bytes);
    if (diff && answer.diff) showContent(encodeText(answer.diff), output);
    else if (diff) output.out(`${visibleLine(`--dry-run: no byte changes for ${answer.fsPath}`)}\n`);
    else {
      output.out(`${visibleLine(`--dry-run: would write ${bytes.length} bytes to ${answer.fsPath}`)}\n`);
      showContent(bytes, output);
    }
  }
  return answer.ok ? 0 : 1;
}

async function runEmit({ args, files, json, output }: Run): Promise<number> {
  const { kind, bytes, sentinel } = await emit(files, args.positionals[0] ?? '', args.options);
  if (sentinel)
    throw new Fault(
      'OC_EMIT_SENTINEL',
      `the file contains the redaction mark ${REDACTED_SENTINEL}: a secret was overwritten`,
      {
        hint: 'replace the mark with the real value',
      },
    );
  if (json) output.out(renderJsonLine({ ok: true, kind, bytes }));
  else showContent(encodeText(bytes), output);
  return 0;
}
