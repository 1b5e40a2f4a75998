import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { environmentOfLogin } from '../../../src/hosts/process/programs/login-shell.ts';
import { hasEnvironment, listProcesses } from '../../../src/hosts/process/processes.ts';
import { makeFolder } from '../../support/folder.ts';

async function pathAfter(profile: string, patienceMs?: number): Promise<string | undefined> {
  const HOME = makeFolder();
  writeFileSync(join(HOME, '.profile'), profile);
  const environment = await environmentOfLogin('/bin/sh', { HOME, PATH: '/usr/bin:/bin' }, patienceMs);
  return environment.find((entry) => entry.startsWith('PATH='));
}

/** Of nobody else on this machine. */
const MARK = `PINCER_TEST=login-${process.pid}`;
const SET = 'export PATH=/mine:/usr/bin:/bin';

test.each([
  ['sets it', SET],
  ['prints what looks like it', `${SET}; echo; echo PATH=/printed; printf 'a\\nPATH=/printed\\n'`],
  ['keeps it in another variable', `${SET}; export ZZ="a\nPATH=/other"`],
  ['prints ten megabytes', `${SET}; head -c 10000000 /dev/zero | tr '\\0' A`],
  ['fails', `${SET}; false`],
])('the environment is that of a profile which %s', async (_, profile) => {
  expect(await pathAfter(profile)).toBe('PATH=/mine:/usr/bin:/bin');
});

test('a profile that leaves a program running delays nobody', async () => {
  const HOME = makeFolder();
  writeFileSync(join(HOME, '.profile'), `${SET}; sleep 120 & echo $! > "$HOME/pid"`);
  const started = performance.now();
  expect(await environmentOfLogin('/bin/sh', { HOME, PATH: '/usr/bin:/bin' })).toContain('PATH=/mine:/usr/bin:/bin');
  expect(performance.now() - started).toBeLessThan(40_000); // the program goes on for much longer
  process.kill(Number(readFileSync(join(HOME, 'pid'), 'utf8')), 'SIGKILL');
});

test.each([
  ['hangs', `export ${MARK}; sleep 600`],
  ['prints for ever', `export ${MARK}; while :; do head -c 1000000 /dev/zero; done`],
  ['leaves before', 'exit 3'],
])('nothing is known from a profile that %s, and nothing is left of it', async (_, profile) => {
  expect(await pathAfter(profile, 500)).toBeUndefined();
  await expect
    .poll(() => [...listProcesses().values()].filter(({ pid, ended }) => !ended && hasEnvironment(pid, [MARK])))
    .toEqual([]);
});

test('nothing is known from a shell that is not there', async () => {
  expect(await environmentOfLogin('/nowhere/sh', { HOME: '/' })).toEqual([]);
});
