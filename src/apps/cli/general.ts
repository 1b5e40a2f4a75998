/** The commands beside `path`: help, version, and the plugin words that scripts may still say. */
import { Fault } from '../../base/fault.ts';
import { version } from '../../../package.json';
import type { Output } from './output.ts';

const HELP = `pincer ${version}: hands for agents

  pincer path …                     read, find and change one spot in a file; see pincer path --help
  pincer plugins enable oc-path     accepted for scripts: path is built in
  pincer --version
`;

export function runGeneral(argv: readonly string[], output: Output, fail: (error: unknown) => number): number {
  const [command, verb, name] = argv;
  if (command === undefined || command === '--help' || command === '-h' || command === 'help') {
    output.out(HELP);
    return 0;
  }
  if (command === '--version' || command === '-v') {
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
