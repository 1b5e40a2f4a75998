import { Fault } from '../../../base/fault.ts';
import { reportFailure } from '../failure.ts';
import { inputLines } from '../input.ts';
import { jsonOutput, type Output, processOutput } from '../../terminal/output.ts';

type RunPath = (argv: readonly string[], output: Output) => Promise<number>;

/** `path --stdin`: reads one JSON array of arguments per line, and prints `{code, out, err?}` for each, until the input ends. */
export async function runStdin(runPath: RunPath): Promise<number> {
  const output = jsonOutput(processOutput());
  for (const { bytes } of inputLines(Number.POSITIVE_INFINITY)) {
    const line = String(bytes);
    if (line.trim() === '') continue;
    const collected = new CollectedOutput();
    const code = await answer(line, collected, runPath);
    output.out(
      `${JSON.stringify({ code, out: collected.text, ...(collected.errors === '' ? {} : { err: collected.errors }) })}\n`,
    );
  }
  return 0;
}

async function answer(line: string, collected: CollectedOutput, runPath: RunPath): Promise<number> {
  const args = readArguments(line);
  if (args === undefined)
    return reportFailure(
      new Fault('USAGE_ARGUMENTS', 'a line of path --stdin must be a JSON array of strings', {
        hint: '["resolve","oc://AGENTS.md/tools/gh"]',
      }),
      true,
      collected,
    );
  if (readsInput(args))
    return reportFailure(
      new Fault('USAGE_ARGUMENTS', '--batch - is not possible in path --stdin, which reads standard input itself', {
        hint: 'pass a file to --batch',
      }),
      true,
      collected,
    );
  if (args[0] === '--stdin' || args[0] === 'watch')
    return reportFailure(
      new Fault('USAGE_ARGUMENTS', `${args[0]} runs until it is interrupted, so it cannot run in path --stdin`, {
        hint: 'run it as a separate command',
      }),
      true,
      collected,
    );
  return runPath(args, collected);
}

function readsInput(args: readonly string[]): boolean {
  return args.some((arg, at) => arg === '--batch=-' || (arg === '--batch' && args[at + 1] === '-'));
}

function readArguments(line: string): string[] | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Collects output, as JSON like in a pipe. */
class CollectedOutput implements Output {
  readonly isTerminal = false;
  readonly errorIsTerminal = false;
  readonly quiet = false;
  readonly colour = false;
  text = '';
  errors = '';

  out(text: string | Uint8Array): void {
    this.text += typeof text === 'string' ? text : Buffer.from(text).toString();
  }

  err(text: string | Uint8Array): void {
    this.errors += typeof text === 'string' ? text : Buffer.from(text).toString();
  }
}
