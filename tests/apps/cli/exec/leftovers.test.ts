import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { SessionInfo } from '../../../../src/wire/session.ts';
import { daemonPlace, type Place, runProgram } from '../../../support/daemon.ts';
import { isThere } from '../../../support/processes.ts';

const program = fileURLToPath(new URL('../../../../dist/pincer.cjs', import.meta.url));
const run = (place: Place, ...args: string[]) => runProgram(program, place, args);

/** A command that has ended while its child, in a session of its own, goes on. */
async function withLeftover(): Promise<{ place: Place; left: SessionInfo }> {
  const place = daemonPlace();
  const child = `setsid sh -c 'touch began; exec sleep 600' >/dev/null 2>&1 &`;
  const command = `${child} while [ ! -e began ]; do sleep 0.05; done`;
  const workdir = place.env['HOME']!;
  expect(await run(place, 'exec', '--workdir', workdir, '-c', command)).toMatchObject({ code: 0 });
  expect(existsSync(join(workdir, 'began'))).toBe(true);
  const [left] = JSON.parse((await run(place, 'ps', '--json')).stdout) as SessionInfo[];
  return { place, left: left! };
}

describe.skipIf(!existsSync(program))('processes that a session left', () => {
  it('B16: are shown with their session by ps, and ended by kill', async () => {
    const { place, left } = await withLeftover();
    expect(left).toMatchObject({ status: 'completed', exitCode: 0 });
    const pids = left.leftovers!.map(({ pid }) => pid);
    expect(pids.length).toBe(1);
    expect(left.leftovers![0]!.command).toContain('sleep 600');
    expect(pids.every(isThere)).toBe(true);
    expect((await run(place, 'ps', '--human')).stdout).toContain(`${left.id}  exit 0 (${pids.length} left)`);
    expect(await run(place, 'daemon', 'stop', '--human')).toMatchObject({
      code: 1,
      stdout: '0 running, 1 ended with processes left; pincer daemon stop --force ends them\n',
    });
    const killed = await run(place, 'kill', left.id, '--human');
    expect(killed).toMatchObject({ code: 0, stdout: expect.stringContaining('; ended ') as string });
    expect(pids.some(isThere)).toBe(false);
    expect(JSON.parse((await run(place, 'ps', '--json')).stdout)).toEqual([]);
    expect(await run(place, 'daemon', 'stop', '--human')).toMatchObject({ code: 0 });
  });

  it('B16: are listed and ended by the tool process, and are not cleared away', async () => {
    const { place, left } = await withLeftover();
    const call = async (action: string) =>
      (await run(place, 'call', 'process', JSON.stringify({ action, sessionId: left.id }))).stdout;
    expect(await call('list')).toMatch(/completed \(\d+ process(?:es)? left: pid [\d, ]+\)/u);
    expect(await call('clear')).toContain('EXEC_SESSION_RUNNING');
    expect(await call('kill')).toMatch(/had already ended\. Killed \d+ process(?:es)? that it left behind\./u);
    expect(left.leftovers!.some(({ pid }) => isThere(pid))).toBe(false);
  });

  it('B16: end with the daemon', async () => {
    const { place, left } = await withLeftover();
    expect(await run(place, 'daemon', 'stop', '--force', '--human')).toMatchObject({ code: 0 });
    expect(left.leftovers!.some(({ pid }) => isThere(pid))).toBe(false);
  });
});
