import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { daemonPlace, type Place, runProgram } from '../../../support/daemon.ts';

const program = fileURLToPath(new URL('../../../../dist/pincer.cjs', import.meta.url));
const run = (place: Place, ...args: string[]) => runProgram(program, place, args);

/** A caller whose PATH begins with a virtual environment that has an `ls` of its own. */
function inVirtualEnvironment(): Place & { readonly own: string; readonly venv: string } {
  const place = daemonPlace();
  const venv = join(place.env['HOME']!, 'venv');
  const own = join(venv, 'bin', 'ls');
  mkdirSync(join(venv, 'bin'), { recursive: true });
  writeFileSync(own, '#!/bin/sh\necho own ls in "$VIRTUAL_ENV"\n');
  chmodSync(own, 0o755);
  return { ...place, env: { ...place.env, PATH: `${venv}/bin:/usr/bin:/bin`, VIRTUAL_ENV: venv }, own, venv };
}

describe.skipIf(!existsSync(program))('the PATH of the caller', () => {
  it('B19: comes first where nothing is judged, and VIRTUAL_ENV is passed on', async () => {
    const place = inVirtualEnvironment();
    expect(await run(place, 'exec', '--', 'ls')).toMatchObject({
      code: 0,
      stdout: `own ls in ${place.venv}\n`,
      stderr: '',
    });
  });

  it('B19: comes last where commands are judged, and what it would have found is shown', async () => {
    const place = inVirtualEnvironment();
    const { stdout } = await run(place, 'exec', '--host', 'gateway', '--ask', 'off', '--json', '--', 'ls', '/');
    const { warnings } = JSON.parse(stdout) as { warnings: string[] };
    expect(warnings).toEqual([
      expect.stringMatching(
        /^ls runs \/(?:usr\/)?bin\/ls, not .* from your PATH, because the command was judged$/u,
      ) as string,
    ]);
    expect(warnings[0]).toContain(place.own);
  });
});
