/** `pincer say`: sends a message to a conversation, as a chat integration would. */
import type { Methods } from '../../../wire/methods.ts';
import { shapeOf } from '../definition.ts';
import { agentName } from '../../../config/agent.ts';
import { withGateway } from '../gateway.ts';
import { runCommand } from '../run-command.ts';
import { refuseInsideSession } from '../refuse-inside-session.ts';
import { jsonOutput, type Output } from '../../terminal/output.ts';
import { type Paint, paint } from '../../terminal/paint.ts';
import { visibleLine } from '../../terminal/visible.ts';
import { readArguments, wantsJson } from '../arguments.ts';
import { definition } from './definition.ts';

const SHAPE = shapeOf(definition);

export function runSay(argv: readonly string[], output: Output): Promise<number> {
  const json = wantsJson(argv, output.isTerminal);
  return runCommand(definition, argv, output, async () => {
    const { positionals, options } = readArguments(SHAPE, argv);
    refuseInsideSession('sending a message to a conversation');
    const { conversation, sender, agent = agentName() } = options;
    const message = {
      text: positionals[0]!,
      sender: sender ?? 'operator',
      caller: {
        agent,
        ...(conversation === undefined ? {} : { conversation }),
        // A named sender is never the operator, even with the name `operator`.
        ...(sender === undefined ? { operator: true as const } : {}),
      },
      folder: process.cwd(),
    };
    const answer = await withGateway((gateway) => gateway.call('command.say', message));
    if (json) jsonOutput(output).out(`${JSON.stringify(answer)}\n`);
    else output.out(`${answerText(answer, paint(output.colour))}\n`);
    return answer.ok ? 0 : 1;
  });
}

/** The line about unjudged commands is red. */
function answerText({ text, unjudged }: Methods['command.say']['result'], style: Paint): string {
  const lines = text.split('\n');
  return lines.map((line) => (line === unjudged ? style.bad(visibleLine(line)) : visibleLine(line))).join('\n');
}
