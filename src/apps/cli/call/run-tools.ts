/** `pincer tools`: what can be called, and with which parameters. */
import { assembleTools, type ToolInfo } from '../../assemble.ts';
import { helpOf, shapeOf } from '../definition.ts';
import { reportFailure } from '../failure.ts';
import { toolboxOptions } from '../toolbox-options.ts';
import { BrokenPipe, jsonOutput, type Output } from '../../terminal/output.ts';
import { paint } from '../../terminal/paint.ts';
import { asksForHelp, readArguments, wantsJson, errorsAsJson } from '../arguments.ts';
import { tools as definition } from './definition.ts';

const SHAPE = shapeOf(definition);

export async function runTools(argv: readonly string[], output: Output): Promise<number> {
  const json = wantsJson(argv, output.isTerminal);
  try {
    if (asksForHelp(argv)) {
      output.out(helpOf(definition));
      return 0;
    }
    const tools = await assembleTools(await toolboxOptions(SHAPE, readArguments(SHAPE, argv))).tools();
    if (json) jsonOutput(output).out(`${JSON.stringify(tools, null, 2)}\n`);
    else output.out(tools.map((tool) => showTool(tool, output)).join(''));
    return 0;
  } catch (error) {
    if (error instanceof BrokenPipe) throw error;
    return reportFailure(error, errorsAsJson(argv, output), output);
  }
}

function showTool({ name, effects, description, inputSchema }: ToolInfo, output: Output): string {
  const style = paint(output.colour);
  const parameters = Object.keys(inputSchema.properties).map((key) =>
    inputSchema.required.includes(key) ? key : `[${key}]`,
  );
  const [purpose = ''] = description.split(/(?<=\.)\s/u, 1);
  return (
    `${style.address(name.padEnd(12))} ${style.quiet(effects.padEnd(7))} ${purpose}\n` +
    `${' '.repeat(21)}${style.quiet(parameters.join(' '))}\n`
  );
}
