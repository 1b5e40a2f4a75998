import { Fault } from '../../../base/fault.ts';
import { reportFailure } from '../failure.ts';
import { inputLines } from '../input.ts';
import { jsonOutput, type Output, processOutput } from '../../terminal/output.ts';

type RunPath = (argv: readonly string[], output: Output) => Promise<number>;

/** `path --stdin`: one JSON array of arguments a line, one JSON line `{code, out, err?}` back, until the input ends. */
export async function runStdin(runPath: RunPath): Promise<number> {
  const output = jsonOutput(processOutput());
  for (const { bytes } of inputLines(Number.POSITIVE_INFINITY)) {
    const line = String(bytes);
    if (line.trim() === '') continue;
    const collected = new Collected();
    const code = await answer(line, collected, runPath);
    output.out(
      `${JSON.stringify({ code, out: collected.text, ...(collected.errors === '' ? {} : { err: collected.errors }) })}\n`,
    );
  }
  return 0;
}

async function answer(line: string, collected: Collected, runPath: RunPath): Promise<number> {
  const args = readArguments(line);
  if (args === undefined)
    return reportFailure(
      new Fault('USAGE_ARGUMENTS', 'a line of path --stdin is a JSON array of strings', {
        hint: '["resolve","oc://AGENTS.md/tools/gh"]',
      }),
      true,
      collected,
    );
  if (readsInput(args))
    return reportFailure(
      new Fault('USAGE_ARGUMENTS', 'inside path --stdin the input holds the calls, so --batch cannot read it too', {
        hint: 'give --batch the name of a file',
      }),
      true,
      collected,
    );
  if (args[0] === '--stdin' || args[0] === 'watch')
    return reportFailure(
      new Fault('USAGE_ARGUMENTS', `${args[0]} does not end by itself and cannot run inside path --stdin`, {
        hint: 'run it as a command of its own',
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

/** What a command would have printed, JSON as in a pipe. */
class Collected implements Output {
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
