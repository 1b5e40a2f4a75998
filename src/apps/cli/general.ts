/** What is no command of its own: help, version, and the plugin words that scripts may still say. */
import { Fault } from '../../base/fault.ts';
import { version } from '../../../package.json';
import type { Output } from './output.ts';

const HELP = `pincer ${version}: hands for agents

  pincer path …                     read, find and change one spot in a file
  pincer read <file>                show a file as an agent sees it
  pincer write <file> [text]        write a whole file, with its folders
  pincer edit <file> …              replace text, byte-exact around it
  pincer patch [file]               apply a patch whole, or change nothing
  pincer changes [id]               what was changed, by whom, and the diff
  pincer undo [id], pincer redo     take changes back, or do them again
  pincer exec -- <command>          run a command as a session, judged by the policy
  pincer ps, logs, attach, kill     the sessions: which run, what they wrote, sit down, end them
  pincer approvals …                what waits for a person, and what was allowed for good
  pincer policy …                   why a command may run or not; the rules' own tests
  pincer say '/exec …'              type a message into a conversation
  pincer events                     what happened: commands that ended, approvals
  pincer daemon …                   the process that holds the sessions
  pincer tools                      the tools that agents call, with their schemas
  pincer call <tool> '<json>'       call a tool as an agent does; --batch for many
  pincer plugins enable oc-path     accepted for scripts: path is built in
  pincer --version

  each command explains itself with --help
`;

export function runGeneral(argv: readonly string[], output: Output, fail: (error: unknown) => number): number {
  const [command, verb, name] = argv;
  if (command === undefined || command === '--help' || command === '-h') {
    output.out(HELP);
    return 0;
  }
  if (command === '--version' || command === '-v' || command === 'version') {
    output.out(`${version}\n`);
    return 0;
  }
  if (command === 'plugins' && verb === 'enable' && name === 'oc-path') {
    output.out('oc-path is built in and enabled\n');
    return 0;
  }
  return fail(
    new Fault('USAGE_UNKNOWN_COMMAND', `there is no command ${JSON.stringify(unknown(argv))}`, {
      hint: 'see pincer --help',
    }),
  );
}

/** The words that name the unknown command, without what would be its arguments. */
function unknown([command = '', ...rest]: readonly string[]): string {
  return command === 'plugins' ? [command, ...rest].join(' ') : command;
}
