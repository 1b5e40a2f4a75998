import { reportFailure } from './failure.ts';
import { BrokenPipe, processOutput } from '../terminal/output.ts';
import { RUNNERS } from './runners.ts';

async function main(argv: readonly string[]): Promise<number> {
  const [command, ...rest] = argv;
  const run = command !== undefined && Object.hasOwn(RUNNERS, command) ? RUNNERS[command] : undefined;
  return run === undefined ? (await import('./general.ts')).runGeneral(argv, output) : run(rest, output);
}

// By default Node opens a debugger on this signal, and a debugger can run any code in this process.
process.on('SIGUSR1', () => {});
const output = processOutput();
// Stands until the command has ended: a process that stops in the middle must not look like one that is done.
process.exitCode = 3;
main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.exitCode = error instanceof BrokenPipe ? 0 : reportFailure(error, !output.errorIsTerminal, output);
  },
);
