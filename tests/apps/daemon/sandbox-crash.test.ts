import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { SandboxInfo } from '../../../src/wire/sandbox.ts';
import type { SessionInfo } from '../../../src/wire/session.ts';
import { until } from '../../support/patience.ts';
import { whyNoBubblewrap } from '../../support/sandbox.ts';
import { ground, pincer as run } from '../mcp/serving.ts';

const missing = await whyNoBubblewrap();

describe.skipIf(missing !== undefined)('a daemon that dies while commands run in a sandbox', () => {
  it('ends all sessions, and the next daemon reports them as lost', async () => {
    const at = ground({ sandbox: { mode: 'all' } });
    const pincer = (...args: string[]) => run(at, ...args);
    const id = (await pincer('exec', '--background', '--timeout', '0', '-c', 'setsid sleep 600 & sleep 600')).trim();
    const [sandbox] = JSON.parse(await pincer('sandbox', 'list')) as SandboxInfo[];
    const { pid } = JSON.parse(await pincer('daemon', 'status')) as { pid: number };
    expect([sandbox?.running, existsSync(`/proc/${sandbox?.pid}`)]).toEqual([1, true]);
    process.kill(pid, 'SIGKILL');
    await until(() => !existsSync(`/proc/${sandbox!.pid}`), 'the end of the sandbox');
    const sessions = JSON.parse(await pincer('ps', '--all')) as SessionInfo[];
    expect(sessions).toMatchObject([{ id, status: 'failed', failure: 'lost', sandbox: true }]);
    expect(await pincer('events')).toContain('the daemon died while it ran');
    expect(JSON.parse(await pincer('sandbox', 'list'))).toEqual([]);
    expect(await pincer('exec', '-c', 'pgrep -x sleep | wc -l; pwd')).toMatch(/^0\n/u);
    await pincer('daemon', 'stop', '--force');
  });
});
