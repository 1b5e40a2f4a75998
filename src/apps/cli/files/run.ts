/** Runs one of the friendly forms: text in a pipe, a diff in colour on a terminal, the tool's result with `--json`. */
import { assembleTools } from '../../assemble.ts';
import { resultOrFault } from '../call/result-or-fault.ts';
import { helpOf } from '../definition.ts';
import { reportFailure, reportNotice } from '../failure.ts';
import { toolboxOptions } from '../toolbox-options.ts';
import { BrokenPipe, type Output, quietly } from '../../terminal/output.ts';
import { exitCodeOfResult, showResultJson, showResultText } from '../result.ts';
import { asksForHelp, readArguments, wantsJson } from '../arguments.ts';
import { FILE_COMMANDS } from './file-commands.ts';

export async function runFileCommand(command: string, argv: readonly string[], output: Output): Promise<number> {
  const form = FILE_COMMANDS[command]!;
  const json = wantsJson(argv, true); // a pipe gets text, too
  try {
    if (asksForHelp(argv)) {
      output.out(helpOf(form.definition));
      return 0;
    }
    const args = readArguments(form.shape, argv);
    const told = quietly(output, args.flags.has('quiet'));
    const toolbox = assembleTools({
      ...(await toolboxOptions(form.shape, args)),
      onNotice: (message) => reportNotice(message, json, told),
    });
    const parameters = form.parameters(args);
    const result = await resultOrFault(() => toolbox.call(form.tool, parameters));
    if (args.flags.has('json')) showResultJson(result, output);
    else showResultText(result, told, { diff: output.isTerminal || args.flags.has('dry-run') });
    return exitCodeOfResult(result);
  } catch (error) {
    if (error instanceof BrokenPipe) throw error;
    return reportFailure(error, json, output);
  }
}
