import { reportFailure } from './failure.ts';
import { BrokenPipe, processOutput } from './output.ts';
import { runPath } from './path/run.ts';

async function main(argv: readonly string[]): Promise<number> {
  const [command, ...rest] = argv;
  if (command === 'path') return runPath(rest, output);
  const general = await import('./general.ts');
  return general.runGeneral(argv, output, (error) => reportFailure(error, !output.isTerminal, output));
}

const output = processOutput();
main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.exitCode = error instanceof BrokenPipe ? 0 : reportFailure(error, !output.isTerminal, output);
  },
);
