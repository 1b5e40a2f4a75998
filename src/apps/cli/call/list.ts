/** `pincer tools`: what can be called, and with which parameters. */
import { assembleTools, type ToolInfo } from '../../assemble.ts';
import { reportFailure } from '../failure.ts';
import { toolboxOptions, WORKSPACE_FLAGS, WORKSPACE_OPTIONS } from '../operator.ts';
import { BrokenPipe, jsonOutput, type Output } from '../output.ts';
import { paint } from '../paint.ts';
import { asksForHelp, type CommandShape, readWords, wantsJson } from '../words.ts';

const SHAPE: CommandShape = { command: 'tools', words: [], flags: WORKSPACE_FLAGS, options: WORKSPACE_OPTIONS };

const HELP = `pincer tools: the tools that agents call

  pincer tools            name, effect and purpose of each (JSON with the schemas in a pipe)
  --json, --human         the form of the answer
  --allow-undo            with the tool changes, which is offered only then
  --agent <id>            as this agent is offered them (PINCER_AGENT, else main)
  --model <name>          as this model is offered them
  --workspace <dir>       where pincer.jsonc is looked for from (the working folder)

  tools.allow, tools.deny and tools.exec.applyPatch of pincer.jsonc decide what is offered;
  call one with pincer call <tool> '<json>'
`;

export async function runTools(argv: readonly string[], output: Output): Promise<number> {
  const json = wantsJson(argv, output.isTerminal);
  try {
    if (asksForHelp(argv)) {
      output.out(HELP);
      return 0;
    }
    const tools = await assembleTools(await toolboxOptions(SHAPE, readWords(SHAPE, argv))).tools();
    if (json) jsonOutput(output).out(`${JSON.stringify(tools, null, 2)}\n`);
    else output.out(tools.map((tool) => showTool(tool, output)).join(''));
    return 0;
  } catch (error) {
    if (error instanceof BrokenPipe) throw error;
    return reportFailure(error, json, output);
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
