/** `pincer sandbox shell`: a person in the place of an agent's commands. */
import { executeRequest } from '../exec/run.ts';
import { inputKind } from '../exec/stdin.ts';
import type { Output } from '../../terminal/output.ts';
import type { ParsedArguments } from '../arguments.ts';

/** What a person would rather have, where the sandbox has it. */
const INTERACTIVE = 'if command -v bash >/dev/null 2>&1; then exec bash -i; else exec sh -i; fi';

/** Runs it in a terminal of its own; from a pipe it takes its commands from there. */
export function runShell({ options }: ParsedArguments, json: boolean, output: Output): Promise<number> {
  const { agent, conversation } = options;
  const pty = inputKind() === 'terminal';
  return executeRequest(
    {
      request: { command: pty ? INTERACTIVE : 'exec sh', host: 'sandbox', elevated: false, timeout: 0, pty },
      ...(agent === undefined ? {} : { agent }),
      ...(conversation === undefined ? {} : { conversation }),
      json,
      raw: false,
      quiet: false,
      wait: false,
      sandboxOnly: true,
    },
    output,
  );
}
