import { type ChildProcess, spawn } from 'node:child_process';
import { appendFileSync, mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, it } from 'vitest';

const program = resolve(import.meta.dirname, '../../../dist/pincer.cjs');
let folder = '';
let child: ChildProcess | undefined;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'pincer-watch-')));
});
afterEach(() => {
  child?.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

/** Starts a watch and waits until it is ready; `next` waits for the next line. */
async function watch(address: string): Promise<{ next(): Promise<unknown>; end(): Promise<number | null> }> {
  const started = spawn(process.execPath, [program, 'path', 'watch', address], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder },
  });
  child = started;
  const lines = createInterface({ input: started.stdout })[Symbol.asyncIterator]();
  await new Promise<void>((ready) => started.stderr.once('data', () => ready()));
  return {
    next: async () => JSON.parse((await lines.next()).value as string) as unknown,
    end: () =>
      new Promise((done) => {
        started.once('exit', (code) => done(code));
        started.kill('SIGTERM');
      }),
  };
}

/** Writes over a file of the same length in one step: who empties it first shows a watch an empty file for a moment. */
function overwrite(file: string, text: string): void {
  writeFileSync(file, `${text.padEnd(16)}\n`, { flag: 'r+' });
}

it('prints a line for each change of the place, and none for changes elsewhere', async () => {
  const file = join(folder, 'c.json');
  writeFileSync(file, '{"a": 1, "b": 1}\n');
  const watched = await watch('oc://c.json/a');
  overwrite(file, '{"a": 1, "b": 2}');
  writeFileSync(`${file}.new`, '{"a": 2, "b": 2}\n');
  renameSync(`${file}.new`, file);
  expect(await watched.next()).toMatchObject({ resolved: true, match: { valueText: '2' } });
  overwrite(file, '{"a": ');
  expect(await watched.next()).toMatchObject({ error: { code: 'OC_JSONC_PARSE_FAILED' } });
  overwrite(file, '{"b": 2}');
  expect(await watched.next()).toEqual({ resolved: false, ocPath: 'oc://c.json/a' });
  expect(await watched.end()).toBe(0);
});

it('follows a log by its last line', async () => {
  const file = join(folder, 's.jsonl');
  writeFileSync(file, '{"n":1}\n');
  const watched = await watch('oc://s.jsonl/$last/n');
  appendFileSync(file, '{"n":2}\n');
  expect(await watched.next()).toMatchObject({ match: { valueText: '2', line: 2 } });
  expect(await watched.end()).toBe(0);
});
