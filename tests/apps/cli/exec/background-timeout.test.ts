import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { daemonPlace, runProgram } from '../../../support/daemon.ts';

const program = fileURLToPath(new URL('../../../../dist/pincer.cjs', import.meta.url));

describe.skipIf(!existsSync(program))('the timeout of a session in the background', () => {
  it.each([
    [[], 'ends after 1800 s; --timeout 0 disables the limit'],
    [['--timeout', '7200'], 'ends after 7200 s; --timeout 0 disables the limit'],
    [['--timeout', '0'], undefined],
  ] as const)('B20: is said when it starts: exec --background %j', async (flags, said) => {
    const place = daemonPlace();
    const { stdout, stderr } = await runProgram(program, place, [
      'exec',
      '--background',
      ...flags,
      '--',
      'sleep',
      '300',
    ]);
    expect(stderr).toBe(said === undefined ? '' : `pincer: ${stdout.trim()} ${said}\n`);
  });

  it.each([
    [{}, 1800],
    [{ timeout: 0 }, 0],
  ])('B20: is in the result of the tool: %j', async (params, timeoutSec) => {
    const place = daemonPlace();
    const request = JSON.stringify({ command: 'sleep 300', background: true, ...params });
    const { stdout } = await runProgram(program, place, ['call', 'exec', request]);
    const { content, details } = JSON.parse(stdout) as { content: [{ text: string }]; details: object };
    expect(details).toMatchObject({ status: 'running', timeoutSec });
    expect(content[0].text.includes('Its time limit is 1800 s; timeout 0 sets none.')).toBe(timeoutSec > 0);
  });
});
