import { reportFailure } from './failure.ts';
import { BrokenPipe, processOutput } from '../terminal/output.ts';
import { RUNNERS } from './runners.ts';

async function main(argv: readonly string[]): Promise<number> {
  const [command, ...rest] = argv;
  const run = command !== undefined && Object.hasOwn(RUNNERS, command) ? RUNNERS[command] : undefined;
  return run === undefined ? (await import('./general.ts')).runGeneral(argv, output) : run(rest, output);
}

// By default Node starts a debugger on this signal, which can run any code in this process.
process.on('SIGUSR1', () => {});
const output = processOutput();
// Until the command ends: a process that exits early must not report success.
process.exitCode = 3;
main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.exitCode = error instanceof BrokenPipe ? 0 : reportFailure(error, !output.errorIsTerminal, output);
  },
);
