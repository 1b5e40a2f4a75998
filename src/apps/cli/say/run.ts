/** `pincer say`: types a message into a conversation, as a chat would pass it on. */
import { agentName } from '../../../config/agent.ts';
import { gatewayCommand, withGateway } from '../gateway.ts';
import { refuseInsideSession } from '../inside.ts';
import { jsonOutput, type Output } from '../output.ts';
import { visible } from '../visible.ts';
import { type CommandShape, readWords, wantsJson } from '../words.ts';

const SHAPE: CommandShape = {
  command: 'say',
  words: ['message'],
  flags: ['--json', '--human'],
  options: ['--conversation', '--sender', '--agent'],
};

const HELP = `pincer say: type a message into a conversation

  pincer say --conversation C '/exec host=gateway security=allowlist ask=on-miss'
  pincer say --conversation C /exec            show the values that hold
  pincer say --conversation C --sender S '/approve ID allow-once'

  --conversation C    the conversation that the message belongs to
  --sender S          who said it; the operator at this command line unless told
  --agent ID          whose conversation it is; PINCER_AGENT or main unless told
  --json, --human     the form of the answer

  /exec changes the conversation only, never a file. A sender other than the operator must be on
  commands.allowFrom, unless commands.useAccessGroups is false.

  exit 0 done, 1 refused, 2 wrong arguments, 3 the daemon cannot be reached
`;

export function runSay(argv: readonly string[], output: Output): Promise<number> {
  const json = wantsJson(argv, output.isTerminal);
  return gatewayCommand(argv, output, { help: HELP, json }, async () => {
    const { words, options } = readWords(SHAPE, argv);
    refuseInsideSession('speaking for somebody in a conversation');
    const { conversation, sender, agent = agentName() } = options;
    const message = {
      text: words[0]!,
      sender: sender ?? 'operator',
      caller: {
        agent,
        ...(conversation === undefined ? {} : { conversation }),
        // Whoever is named is not the operator, also when the name is.
        ...(sender === undefined ? { operator: true as const } : {}),
      },
      folder: process.cwd(),
    };
    const answer = await withGateway((gateway) => gateway.call('command.say', message));
    if (json) jsonOutput(output).out(`${JSON.stringify(answer)}\n`);
    else output.out(`${visible(answer.text)}\n`);
    return answer.ok ? 0 : 1;
  });
}
