/** Help, version, and the internal worker. */
import { Fault } from '../../base/fault.ts';
import { version } from '../../../package.json';
import { WORKER_ARGUMENT } from '../worker/task.ts';
import { COMMAND_GROUPS, COMMANDS, definitionOf } from './commands.ts';
import { helpOf, helpRows } from './definition.ts';
import type { Output } from '../terminal/output.ts';
import { didYouMean } from '../../text/nearest-names.ts';

const LONGEST_NAME = 12;
const WIDTH = 80;

export async function runGeneral(argv: readonly string[], output: Output): Promise<number> {
  const [command, ...rest] = argv;
  if (command === undefined || command === '--help' || command === '-h') output.out(await listOfCommands());
  else if (command === '--version' || command === '-v' || command === 'version') output.out(`${version}\n`);
  else if (command === 'help') output.out(await helpFor(rest));
  else if (command === WORKER_ARGUMENT) return (await import('./worker/run.ts')).runWorker();
  else throw unknownCommand(command);
  return 0;
}

/** `pincer help`, `pincer help exec`. Further arguments are verbs, which the help of the command explains. */
async function helpFor([name]: readonly string[]): Promise<string> {
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') return listOfCommands();
  const definition = await definitionOf(name);
  if (definition === undefined) throw unknownCommand(name);
  return helpOf(definition);
}

async function listOfCommands(): Promise<string> {
  const groups = await Promise.all(
    COMMAND_GROUPS.map(async ({ title, commands }) => {
      const definitions = await Promise.all(commands.map((command) => command.load()));
      const shown = definitions.filter(({ hidden }) => hidden !== true);
      const lines = shown.map(({ name, summary }) => ({ label: name.padEnd(LONGEST_NAME), text: summary }));
      return `${title}\n${helpRows(lines, LONGEST_NAME, WIDTH)}`;
    }),
  );
  return `pincer ${version}: hands for agents

Usage
  pincer <command> [options]   run a command
  pincer help <command>        show its help, as pincer <command> --help does
  pincer --version             print the version

${groups.join('\n')}`;
}

function unknownCommand(name: string): Fault {
  const names = COMMANDS.map((command) => command.name);
  return new Fault(
    'USAGE_UNKNOWN_COMMAND',
    `unknown command ${JSON.stringify(name)}${didYouMean(name, [...names, 'help'])}`,
    { hint: 'see pincer --help' },
  );
}
