/** `pincer tools`: lists the tools and their parameters. */
import { assembleTools, type ToolInfo } from '../../assemble.ts';
import { shapeOf } from '../definition.ts';
import { printJson } from '../print-json.ts';
import { runCommand } from '../run-command.ts';
import { toolboxOptions } from '../toolbox-options.ts';
import type { Output } from '../../terminal/output.ts';
import { paint } from '../../terminal/paint.ts';
import { readArguments, wantsJson } from '../arguments.ts';
import { tools as definition } from './definition.ts';

const SHAPE = shapeOf(definition);

export function runTools(argv: readonly string[], output: Output): Promise<number> {
  return runCommand(definition, argv, output, async () => {
    const tools = await assembleTools(await toolboxOptions(SHAPE, readArguments(SHAPE, argv))).tools();
    if (wantsJson(argv, output.isTerminal)) printJson(output, tools);
    else output.out(tools.map((tool) => toolText(tool, output)).join(''));
    return 0;
  });
}

function toolText({ name, effects, description, inputSchema }: ToolInfo, output: Output): string {
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
