import { BrokenPipe, type Output } from '../terminal/output.ts';
import { asksForHelp, errorsAsJson } from './arguments.ts';
import { type CommandDefinition, helpOf } from './definition.ts';
import { reportFailure } from './failure.ts';

interface CommandOptions {
  readonly errorJson?: boolean;
  /** Whether to print the help instead (default: `--help` or `-h`). */
  readonly isHelp?: boolean;
}

/** Prints the help, or does the work and reports its failure. Returns the exit code. */
export async function runCommand(
  definition: CommandDefinition,
  argv: readonly string[],
  output: Output,
  work: () => Promise<number>,
  { errorJson = errorsAsJson(argv, output), isHelp = asksForHelp(argv) }: CommandOptions = {},
): Promise<number> {
  try {
    if (!isHelp) return await work();
    output.out(helpOf(definition));
    return 0;
  } catch (error) {
    if (error instanceof BrokenPipe) throw error;
    return reportFailure(error, errorJson, output);
  }
}
