/** `pincer call`: calls one tool, or with `--batch` many. */
import { assembleTools, type Toolbox, type ToolResult } from '../../assemble.ts';
import { isFileTool, toolNamed } from '../../../wire/tool-names.ts';
import { CATALOGUE } from '../../catalogue.ts';
import { shapeOf } from '../definition.ts';
import { reportNotice } from '../failure.ts';
import { printJson } from '../print-json.ts';
import { runCommand } from '../run-command.ts';
import { readAllInput } from '../input.ts';
import { toolboxOptions } from '../toolbox-options.ts';
import { jsonOutput, type Output, quietly } from '../../terminal/output.ts';
import { exitCodeOfResult, showResultText } from '../result.ts';
import { type ParsedArguments, readArguments, usage, wantsJson, errorsAsJson } from '../arguments.ts';
import { call } from './definition.ts';
import { readCall, readJsonText, readParameters, type ToolCall } from './read-call.ts';
import { resultOrFault } from './result-or-fault.ts';

const QUOTING =
  'quote it for the shell: pincer call read \'{"path":"README.md"}\', or pass - and write it to standard input';

const SHAPE = shapeOf(call);

export function runCall(argv: readonly string[], output: Output): Promise<number> {
  return runCommand(call, argv, output, async () => {
    const args = readArguments(SHAPE, argv);
    const quiet = quietly(output, args.flags.has('quiet'));
    const options = await toolboxOptions(SHAPE, args);
    const onNotice = (message: string): void => reportNotice(message, errorsAsJson(argv, output), quiet);
    const assemble = () => assembleTools({ ...options, onNotice });
    if (args.flags.has('batch')) return runBatch(args, assemble(), output);
    const { tool, args: parameters } = readCallArguments(args);
    refuseNodeOf(tool, args);
    const result = await resultOrFault(() => assemble().call(tool, parameters));
    if (wantsJson(argv, output.isTerminal)) printJson(output, result);
    else showText(result, quiet);
    return exitCodeOfResult(result);
  });
}

/** `exec` has its own parameter for the machine where a command runs. */
function refuseNodeOf(tool: string, { options }: ParsedArguments): void {
  const name = toolNamed(tool);
  if (options['node'] === undefined || name === undefined || isFileTool(name)) return;
  throw usage(SHAPE, `--node is for file tools, and ${name} is none`, 'exec has the parameters host and node');
}

/** Output before the failure goes to standard output; the failure itself is the message. */
function showText(result: ToolResult, output: Output): void {
  const { aggregated } = result.details;
  if (result.isError !== true || typeof aggregated !== 'string' || aggregated === '') {
    showResultText(result, output);
    return;
  }
  showResultText({ content: [{ type: 'text', text: aggregated }], details: {} }, output);
  showResultText({ ...result, content: [{ type: 'text', text: result.error ?? '' }] }, output);
}

async function runBatch({ positionals }: ParsedArguments, toolbox: Toolbox, output: Output): Promise<number> {
  if (positionals.length > 0)
    throw usage(SHAPE, `--batch reads its calls from standard input, not ${JSON.stringify(positionals[0])}`);
  return (await import('./batch.ts')).answerBatch(toolbox, jsonOutput(output));
}

function readCallArguments({ positionals: [first, second] }: ParsedArguments): ToolCall {
  if (first === undefined) throw usage(SHAPE, 'the argument <tool> is missing');
  if (second === undefined) {
    if (first !== '-' && !/^\s*[[{]/u.test(first))
      throw usage(SHAPE, `the parameters of ${first} are missing`, `pincer call ${first} '{…}'; see pincer tools`);
    return readCall(readJsonText(first === '-' ? inputText() : first, 'the call', QUOTING), 'no-id');
  }
  const text = second === '-' ? inputText() : second;
  return readParameters(first, readJsonText(text, 'the text of the parameters', QUOTING), isSameTool);
}

/** Whether both names are names or aliases of one tool. */
function isSameTool(one: string, other: string): boolean {
  const names = CATALOGUE.map(({ name, alsoCalled }) => [name, ...alsoCalled]).find((all) => all.includes(one));
  return one === other || names?.includes(other) === true;
}

/** Decoding invalid UTF-8 would silently replace characters. */
function inputText(): string {
  const bytes = readAllInput();
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw usage(
      SHAPE,
      'standard input is not UTF-8 text',
      'JSON is UTF-8; write other bytes with "encoding": "base64"',
    );
  }
}
