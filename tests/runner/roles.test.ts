import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { messageFrame } from '../../src/hosts/channel/frames.ts';
import { builtScript } from '../support/built.ts';
import { makeFolder } from '../support/folder.ts';

/** An empty Node has 39 of them. */
const MOST_MEGABYTES = 46;

/** Writes down what was loaded, when the process ends. */
const PRELOAD = `process.on('exit', () => require('node:fs').writeFileSync(__dirname + '/loaded', JSON.stringify(Object.keys(require.cache))));`;

async function sourcesOf(role: string): Promise<string[]> {
  const folder = makeFolder();
  const preload = join(folder, 'preload.cjs');
  writeFileSync(preload, PRELOAD);
  const child = spawn(process.execPath, ['-r', preload, builtScript('runner'), role], {
    env: {},
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
  });
  (child.stdio[3] as Socket).resume().end();
  await once(child, 'exit');
  const loaded = JSON.parse(readFileSync(join(folder, 'loaded'), 'utf8')) as string[];
  return loaded
    .filter((file) => basename(file) !== 'preload.cjs')
    .flatMap((file) => [...readFileSync(file, 'utf8').matchAll(/^\/\/ src\/(.*)$/gmu)])
    .map(([, source = '']) => source);
}

test.each(['--spawn', '--terminal', '--inside'])('the role %s loads neither tools nor text', async (role) => {
  const sources = await sourcesOf(role);
  expect(sources).toContain('runner/main.ts');
  expect(sources.filter((source) => /^(?:tools|text|policy|hosts\/files|hosts\/media)\//u.test(source))).toEqual([]);
});

test('the role --spawn knows nothing of sandboxes and of streams in frames', async () => {
  const sources = await sourcesOf('--spawn');
  expect(sources).toContain('runner/direct.ts');
  expect(sources.filter((source) => /relayed|egress|task-watch|inside/u.test(source))).toEqual([]);
});

test('the process that starts commands is small', async () => {
  const child = spawn(process.execPath, ['--max-semi-space-size=1', builtScript('runner'), '--spawn'], {
    env: {},
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
  });
  const channel = child.stdio[3] as Socket;
  const welcome = { owner: 'o', graceMs: 0, streams: { socket: join(makeFolder(), 's'), token: '' } };
  channel.write(messageFrame(1, { call: 'runner.welcome', params: welcome }));
  await once(channel, 'data');
  const status = readFileSync(`/proc/${child.pid}/status`, 'latin1');
  channel.end();
  await once(child, 'exit');
  expect(Number(/^VmRSS:\s+(\d+) kB$/mu.exec(status)?.[1]) / 1024).toBeLessThanOrEqual(MOST_MEGABYTES);
});

test('an unknown role exits with 1', async () => {
  const child = spawn(process.execPath, [builtScript('runner'), '--unknown'], {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  });
  expect((await once(child, 'exit'))[0]).toBe(1);
});
