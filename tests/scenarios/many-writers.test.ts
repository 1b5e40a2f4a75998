/** Many processes at once, and processes that die: through the real command line. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runs, timeoutFor } from '../support/budget.ts';

const program = resolve(import.meta.dirname, '../../dist/pincer.cjs');
const KILLS = runs(15, 200);
let folder = '';
let env: NodeJS.ProcessEnv = {};

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'pincer-writers-')));
  mkdirSync(join(folder, 'ws'));
  env = { PATH: process.env['PATH'], HOME: folder };
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function start(args: readonly string[]): {
  readonly pid: number;
  readonly ended: Promise<number | null>;
  kill(): void;
} {
  const child = spawn(process.execPath, [program, 'path', ...args], { cwd: join(folder, 'ws'), env, stdio: 'ignore' });
  const ended = new Promise<number | null>((done, fail) => {
    child.once('exit', (code) => done(code));
    child.once('error', fail);
  });
  return { pid: child.pid!, ended, kill: () => void child.kill('SIGKILL') };
}

function run(args: readonly string[]) {
  return spawnSync(process.execPath, [program, 'path', ...args], {
    cwd: join(folder, 'ws'),
    env,
    encoding: 'utf8',
    timeout: 60_000,
  });
}

/** Processes that write one file, and how many of them at a time: each takes as much memory as a program of Node does. */
const WRITERS = runs(40, 100);
const AT_ONCE = runs(12, 100);

async function writers(args: (index: number) => readonly string[]): Promise<readonly (number | null)[]> {
  const codes: (number | null)[] = [];
  let next = 0;
  const startNext = async (): Promise<void> => {
    for (let index = next++; index < WRITERS; index = next++) codes[index] = await start(args(index)).ended;
  };
  await Promise.all(Array.from({ length: AT_ONCE }, startNext));
  return codes;
}

describe('B28: many writers', () => {
  it('append a line each, and none is lost', async () => {
    const file = join(folder, 'ws', 'session.jsonl');
    writeFileSync(file, '{"n":-1}\n');
    const codes = await writers((index) => ['set', 'oc://session.jsonl/+', `{"n":${index}}`]);
    expect(codes).toEqual(Array.from({ length: WRITERS }, () => 0));
    const numbers = readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { n: number }).n);
    expect(numbers.sort((a, b) => a - b)).toEqual(Array.from({ length: WRITERS + 1 }, (_, index) => index - 1));
  }, 180_000);

  it('set a key each in one file, and none is lost', async () => {
    const file = join(folder, 'ws', 'config.json');
    const keys = Array.from({ length: WRITERS }, (_, index) => `k${index}`);
    writeFileSync(file, JSON.stringify(Object.fromEntries(keys.map((key) => [key, 0])), null, 2));
    const codes = await writers((index) => ['set', `oc://config.json/k${index}`, String(index + 1)]);
    expect(codes).toEqual(keys.map(() => 0));
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(
      Object.fromEntries(keys.map((key, index) => [key, index + 1])),
    );
  }, 180_000);

  it(
    'leave all files old or all files new whenever a batch over 20 files is killed',
    async () => {
      const files = Array.from({ length: 20 }, (_, index) => ({
        name: `f${index}.${['json', 'yaml', 'md', 'jsonl'][index % 4]}`,
        text: ['{\n  "v": "old" // c\n}\n', 'v: old # c\n', '## A\n\n- v: old\n', '{"v":"old"}\n'][index % 4]!,
        address: [`v`, 'v', 'a/v/v', 'L1/v'][index % 4]!,
      }));
      const batch = join(folder, 'batch.jsonl');
      const seen = { old: 0, new: 0 };
      // Each kill comes a little later than the last when that left the old files, and earlier when it left the new ones,
      // so most of them fall around the moment of the commit, however fast the machine is.
      let delay = (await timeOfWholeRun(files, batch)) / 2;
      // Kills that all come too early or too late would prove nothing.
      const isOver = (round: number): boolean => round >= KILLS && seen.old > 0 && seen.new > 0;
      for (let round = 0; !isOver(round); round++) {
        for (const { name, text } of files) writeFileSync(join(folder, 'ws', name), text);
        const process = start(['set', '--batch', batch]);
        const timer = setTimeout(() => process.kill(), delay);
        await process.ended;
        clearTimeout(timer);
        // The next command that touches any of the files completes or clears away what is left.
        expect(run(['resolve', `oc://${files[0]!.name}/v`]).status).toBe(0);
        const states = files.map(({ name }) =>
          readFileSync(join(folder, 'ws', name), 'utf8').includes('old') ? 'old' : 'new',
        );
        expect(new Set(states).size, `round ${round}: ${states.join(' ')}`).toBe(1);
        seen[states[0]!]++;
        delay *= states[0] === 'old' ? 1.2 : 0.85;
        expect(readdirSync(join(folder, 'ws')).filter((name) => name.includes('pincer-tmp'))).toEqual([]);
      }
    },
    timeoutFor(300_000),
  );

  async function timeOfWholeRun(
    files: readonly { name: string; text: string; address: string }[],
    batch: string,
  ): Promise<number> {
    const lines = files.map(({ name, address }) => JSON.stringify({ path: `oc://${name}/${address}`, value: 'fresh' }));
    writeFileSync(batch, `${lines.join('\n')}\n`);
    const times: number[] = [];
    for (let i = 0; i < 3; i++) {
      for (const { name, text } of files) writeFileSync(join(folder, 'ws', name), text);
      const begin = performance.now();
      expect(await start(['set', '--batch', batch]).ended).toBe(0);
      times.push(performance.now() - begin);
    }
    return Math.min(...times);
  }
});
