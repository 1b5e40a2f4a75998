import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { builtScript } from '../../support/built.ts';

export interface Worker {
  readonly child: ChildProcessWithoutNullStreams;
  /** The next line that it says, as data; undefined at its end. */
  next(): Promise<unknown>;
  /** Resolves when it has ended. */
  ended(): Promise<{ readonly code: number | null; readonly stderr: string }>;
}

/** Starts `tests/fixtures/bin/approvals.ts`; it finds the database package below our `node_modules`, as the real program does. */
export function startApprovals(args: readonly string[], node = process.execPath): Worker {
  const child = spawn(node, [builtScript('approvals'), ...args], { stdio: 'pipe' });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const closed = once(child, 'close');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    child,
    next: async () => {
      const { value, done } = await lines.next();
      return done === true ? undefined : JSON.parse(value);
    },
    ended: async () => {
      await closed;
      return { code: child.exitCode, stderr };
    },
  };
}
