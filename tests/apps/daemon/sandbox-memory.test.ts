import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { whyNoBubblewrap } from '../../support/sandbox.ts';
import { ground, pincer } from '../mcp/serving.ts';

const canMakeGroups = process.geteuid?.() === 0 && existsSync('/sys/fs/cgroup');
const trouble = (await whyNoBubblewrap()) ?? (canMakeGroups ? undefined : 'only root can limit memory for sure');
const reason = trouble === undefined ? '' : ` (not run: ${trouble})`;

describe.skipIf(trouble !== undefined)(`a command that uses up the memory of its sandbox${reason}`, () => {
  it('is reported in the output, unlike a kill for another reason', async () => {
    const at = ground({ sandbox: { mode: 'all', limits: { memory: '256MB' } } });
    const call = async (command: string) =>
      JSON.parse(await pincer(at, 'call', 'exec', JSON.stringify({ command, timeout: 60 }))) as {
        readonly details: { readonly exitCode: number; readonly aggregated: string };
      };
    const told = 'pincer: the sandbox ran out of memory, and the kernel killed a process (sandbox.limits.memory)\n';
    const hungry = await call('head -c 900000000 /dev/zero | tail; exit $?');
    expect(hungry.details).toMatchObject({ exitCode: 137, aggregated: expect.stringContaining(told) });
    const shot = await call('sh -c "kill -9 \\$\\$"');
    expect(shot.details).toMatchObject({ exitCode: 137, aggregated: expect.not.stringContaining('memory') });
    await pincer(at, 'daemon', 'stop', '--force');
  });
});
