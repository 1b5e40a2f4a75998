/** `tools.exec.profiles` through the real program. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

const program = resolve(import.meta.dirname, '../../../../dist/pincer.cjs');
const CONFIG = {
  tools: {
    exec: {
      host: 'gateway',
      security: 'allowlist',
      starter: 'read',
      profiles: {
        nice: { grammar: 'plain', class: 'read', operands: ['text*'] },
        env: { grammar: 'plain', class: 'read', operands: ['text*'] },
        // Narrower than the one that Pincer has.
        tac: { grammar: 'getopt', class: 'read', flags: ['-r'], operands: ['in*'] },
      },
    },
  },
};

let home: string;
let folder: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'pincer-profiles-'));
  folder = join(home, 'work');
  mkdirSync(folder);
  mkdirSync(join(home, 'config', 'pincer'), { recursive: true });
  writeFileSync(join(home, 'config', 'pincer', 'pincer.jsonc'), JSON.stringify(CONFIG));
  writeFileSync(join(folder, 'a.txt'), 'a\n');
});
afterEach(() => {
  rmSync(home, { recursive: true, force: true });
});

function pincer(...args: readonly string[]): Record<string, unknown> {
  const { stdout } = spawnSync(process.execPath, [program, ...args, '--json'], {
    cwd: folder,
    encoding: 'utf8',
    timeout: 60_000,
    env: {
      PATH: '/usr/bin:/bin',
      HOME: home,
      XDG_CONFIG_HOME: join(home, 'config'),
      PINCER_STATE_DIR: join(home, 'state'),
    },
  });
  return JSON.parse(stdout) as Record<string, unknown>;
}

it('uses a profile of the operator instead of its own', () => {
  expect([
    pincer('policy', 'explain', 'tac -r a.txt')['verdict'],
    pincer('policy', 'explain', 'tac -b a.txt')['code'],
  ]).toEqual(['allow', 'profile-option']);
});

it('names profiles that have no effect, and does not use them', () => {
  const { problems = [] } = pincer('config', 'validate') as { problems?: readonly { message: string }[] };
  expect(problems.map(({ message }) => message)).toEqual([
    'tools.exec.profiles.nice has no effect: nice starts the program in its arguments',
    'tools.exec.profiles.env has no effect: env starts the program in its arguments',
  ]);
  expect(pincer('policy', 'explain', 'nice sh -c id')['verdict']).not.toBe('allow');
});
