import { Fault } from '../../base/fault.ts';
import { reportFailure } from './failure.ts';
import { BrokenPipe, type Output, processOutput } from './output.ts';
import { runPath } from './path/run.ts';

async function main(argv: readonly string[], output: Output): Promise<number> {
  const [command, ...rest] = argv;
  if (command === 'path') return runPath(rest, output);
  const general = await import('./general.ts');
  return general.runGeneral(argv, output, (error) => reportFailure(error, !output.isTerminal, output));
}

main(process.argv.slice(2), processOutput()).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    if (!(error instanceof BrokenPipe))
      throw error instanceof Error ? error : new Fault('INTERNAL_ERROR', String(error));
    process.exitCode = 0;
  },
);
