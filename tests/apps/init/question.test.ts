/** On a terminal `pincer init` shows the difference and asks. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeFolder } from '../../support/folder.ts';

const program = resolve(import.meta.dirname, '../../../dist/pincer.cjs');
const hasScript = process.platform === 'linux' && spawnSync('script', ['--version']).status === 0;

describe('the question on a terminal', () => {
  it.skipIf(!hasScript).each([
    ['y\n', 0, true, 'written'],
    ['n\n', 1, false, 'nothing was written'],
    ['\n', 1, false, 'nothing was written'],
    ['\u0004', 1, false, 'nothing was written'],
  ])('answered with %j ends with %i (needs script(1))', (input, status, written, told) => {
    const folder = makeFolder();
    const ran = spawnSync('script', ['-qec', `'${process.execPath}' '${program}' init gemini`, '/dev/null'], {
      cwd: folder,
      env: { PATH: '/usr/bin:/bin', HOME: folder, PINCER_STATE_DIR: join(folder, 'state'), TERM: 'xterm' },
      encoding: 'utf8',
      input,
      timeout: 60_000,
    });
    expect(ran.stdout).toContain('+  "mcpServers": {');
    expect(ran.stdout).toContain('write it? [y/N]');
    expect(ran.stdout).toContain(told);
    expect({ status: ran.status, written: existsSync(join(folder, '.gemini/settings.json')) }).toEqual({
      status,
      written,
    });
  });
});
