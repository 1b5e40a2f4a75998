/** `pincer call`: one tool call, its result on standard output. */
import { assembleTools, type Toolbox, type ToolResult } from '../../assemble.ts';
import { CATALOGUE } from '../../catalogue.ts';
import { helpOf, shapeOf } from '../definition.ts';
import { reportFailure, reportNotice } from '../failure.ts';
import { readAllInput } from '../input.ts';
import { toolboxOptions } from '../toolbox-options.ts';
import { BrokenPipe, jsonOutput, type Output, quietly } from '../../terminal/output.ts';
import { exitCodeOfResult, showResultJson, showResultText } from '../result.ts';
import { asksForHelp, type ParsedArguments, readArguments, usage, wantsJson, errorsAsJson } from '../arguments.ts';
import { call } from './definition.ts';
import { readCall, readJsonText, readParameters, type ToolCall } from './read-call.ts';
import { resultOrFault } from './result-or-fault.ts';

const QUOTING =
  'quote it for the shell: pincer call read \'{"path":"README.md"}\', or give - and write it to standard input';

const SHAPE = shapeOf(call);

export async function runCall(argv: readonly string[], output: Output): Promise<number> {
  const json = wantsJson(argv, output.isTerminal);
  try {
    if (asksForHelp(argv)) {
      output.out(helpOf(call));
      return 0;
    }
    const args = readArguments(SHAPE, argv);
    const told = quietly(output, args.flags.has('quiet'));
    const options = await toolboxOptions(SHAPE, args);
    const onNotice = (message: string): void => reportNotice(message, errorsAsJson(argv, output), told);
    const assemble = () => assembleTools({ ...options, onNotice });
    if (args.flags.has('batch')) return await runBatch(args, assemble(), output);
    const { tool, args: parameters } = readCallArguments(args);
    const result = await resultOrFault(() => assemble().call(tool, parameters));
    if (json) showResultJson(result, output);
    else showText(result, told);
    return exitCodeOfResult(result);
  } catch (error) {
    if (error instanceof BrokenPipe) throw error;
    return reportFailure(error, errorsAsJson(argv, output), output);
  }
}

/** What a command wrote before it failed is output; why it failed is the message. */
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

/** Whether two names are those of one tool. */
function isSameTool(one: string, other: string): boolean {
  const names = CATALOGUE.map(({ name, alsoCalled }) => [name, ...alsoCalled]).find((all) => all.includes(one));
  return one === other || names?.includes(other) === true;
}

/** A byte that is no UTF-8 would be written as another character than was meant. */
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
