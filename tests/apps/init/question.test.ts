/** On a terminal `pincer init <client> --remove` shows the difference and asks. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeFolder } from '../../support/folder.ts';

const program = resolve(import.meta.dirname, '../../../dist/pincer.cjs');
const hasScript = process.platform === 'linux' && spawnSync('script', ['--version']).status === 0;

describe('the question on a terminal', () => {
  it.skipIf(!hasScript).each([
    ['y\n', 0, false, 'removed'],
    ['n\n', 1, true, 'nothing was removed'],
    ['\n', 1, true, 'nothing was removed'],
    ['\u0004', 1, true, 'nothing was removed'],
  ])('answered with %j ends with %i (needs script(1))', (input, status, stays, told) => {
    const folder = makeFolder();
    const options = {
      cwd: folder,
      env: { PATH: '/usr/bin:/bin', HOME: folder, PINCER_STATE_DIR: join(folder, 'state'), TERM: 'xterm' },
      encoding: 'utf8' as const,
      timeout: 60_000,
    };
    spawnSync(process.execPath, [program, 'init', 'gemini', '--yes'], options);
    const command = `'${process.execPath}' '${program}' init gemini --remove`;
    const ran = spawnSync('script', ['-qec', command, '/dev/null'], { ...options, input });
    expect(ran.stdout).toContain('-  "mcpServers": {');
    expect(ran.stdout).toContain('remove it? [y/N]');
    expect(ran.stdout).toContain(told);
    expect({ status: ran.status, stays: existsSync(join(folder, '.gemini/settings.json')) }).toEqual({ status, stays });
  });
});
