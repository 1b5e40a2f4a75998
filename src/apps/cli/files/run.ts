/** Runs `read`, `write`, `edit` or `patch`. Prints text also in a pipe, and the tool result with `--json`. */
import { assembleTools } from '../../assemble.ts';
import { resultOrFault } from '../call/result-or-fault.ts';
import { reportNotice } from '../failure.ts';
import { printJson } from '../print-json.ts';
import { runCommand } from '../run-command.ts';
import { onConfiguredNode, toolboxOptions } from '../toolbox-options.ts';
import { type Output, quietly } from '../../terminal/output.ts';
import { exitCodeOfResult, showResultText } from '../result.ts';
import { readArguments, wantsJson } from '../arguments.ts';
import { FILE_COMMANDS } from './file-commands.ts';

export function runFileCommand(name: string, argv: readonly string[], output: Output): Promise<number> {
  const command = FILE_COMMANDS[name]!;
  const json = wantsJson(argv, true);
  const work = async (): Promise<number> => {
    const args = readArguments(command.shape, argv);
    const quiet = quietly(output, args.flags.has('quiet'));
    const onNotice = (message: string): void => reportNotice(message, json, quiet);
    const options = await toolboxOptions(command.shape, args);
    if (options.node !== undefined && args.options['node'] === undefined) onNotice(onConfiguredNode(options.node));
    const toolbox = assembleTools({ ...options, onNotice });
    const parameters = command.parameters(args);
    const result = await resultOrFault(() => toolbox.call(command.tool, parameters));
    if (args.flags.has('json')) printJson(output, result);
    else showResultText(result, quiet, { diff: output.isTerminal || args.flags.has('dry-run') });
    return exitCodeOfResult(result);
  };
  return runCommand(command.definition, argv, output, work, { errorJson: json });
}
