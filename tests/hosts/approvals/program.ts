import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { rolldown } from 'rolldown';

const tests = join(import.meta.dirname, '..', '..');

export interface ApprovalsProgram {
  start(...args: readonly string[]): Worker;
  remove(): void;
}

export interface Worker {
  readonly child: ChildProcessWithoutNullStreams;
  /** The next line that it says, as data; undefined at its end. */
  next(): Promise<unknown>;
  /** Resolves when it has ended. */
  ended(): Promise<{ readonly code: number | null; readonly stderr: string }>;
}

/** Bundles `tests/fixtures/bin/approvals.ts`; the database package stays outside of the bundle, as in the real program. */
export async function buildApprovalsProgram(node = process.execPath): Promise<ApprovalsProgram> {
  const folder = mkdtempSync(join(tmpdir(), 'pincer-bin-'));
  symlinkSync(join(tests, '..', 'node_modules'), join(folder, 'node_modules'));
  const file = join(folder, 'approvals.mjs');
  const input = join(tests, 'fixtures', 'bin', 'approvals.ts');
  const bundle = await rolldown({ input, platform: 'node', external: ['libsql'], logLevel: 'warn' });
  await bundle.write({ file, format: 'esm', codeSplitting: false });
  await bundle.close();
  return {
    start: (...args) => startWorker(node, [file, ...args]),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function startWorker(node: string, args: readonly string[]): Worker {
  const child = spawn(node, args, { stdio: 'pipe' });
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
