/** `pincer sandbox shell`: opens a shell in the sandbox of an agent. */
import { executeRequest } from '../exec/run.ts';
import { inputKind } from '../exec/stdin.ts';
import type { Output } from '../../terminal/output.ts';
import type { ParsedArguments } from '../arguments.ts';

/** Prefers bash if the sandbox has it. */
const INTERACTIVE = 'if command -v bash >/dev/null 2>&1; then exec bash -i; else exec sh -i; fi';

/** With a terminal as input it is interactive; otherwise it reads commands from standard input. */
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
