/** Where commands are not judged, every display says so in red on a terminal, with the command line that changes it. */
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { daemonPlace } from '../../support/daemon.ts';
import { makeFolder } from '../../support/folder.ts';

const program = resolve(import.meta.dirname, '../../../dist/pincer.cjs');
const hasScript = process.platform === 'linux' && spawnSync('script', ['--version']).status === 0;

const SENTENCE =
  'commands run directly on this machine and are not judged: no sandbox is set up (sandbox.mode=off), and rules need host=gateway, not host=sandbox (default)';
const CHANGE = 'pincer init --posture judged --yes';
const DISPLAYS = [
  'status',
  'doctor',
  "policy explain 'rm -rf build'",
  'sandbox explain',
  'say /exec --conversation chat',
  'init claude-code --dry-run',
  'init claude-code --yes',
];

/** What each display prints on a terminal, one after the other. */
function shown(more: Readonly<Record<string, string>>): readonly string[] {
  const { env } = daemonPlace();
  const commands = DISPLAYS.map((args) => `'${process.execPath}' '${program}' ${args}; echo ======`).join('; ');
  const ran = spawnSync('script', ['-qec', commands, '/dev/null'], {
    cwd: makeFolder(),
    env: { ...env, TERM: 'xterm', ...more },
    encoding: 'utf8',
    timeout: 60_000,
  });
  return ran.stdout.replaceAll('\r\n', '\n').split('======\n').slice(0, DISPLAYS.length);
}

describe.skipIf(!hasScript)('B1: the displays on a terminal (need script(1))', () => {
  it('are red with colour, and plain without it', () => {
    const red = `\u001b[31m${SENTENCE}\u001b[39m`;
    const coloured = shown({});
    expect(DISPLAYS.filter((_, i) => coloured[i]?.includes(red) !== true)).toEqual([]);
    expect(DISPLAYS.filter((_, i) => coloured[i]?.includes(CHANGE) !== true)).toEqual([]);
    const plain = shown({ NO_COLOR: '1' });
    expect(DISPLAYS.filter((_, i) => plain[i]?.includes(SENTENCE) !== true)).toEqual([]);
    expect(plain.filter((text) => text.includes('\u001b[31m'))).toEqual([]);
  }, 90_000);
});
