import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { assembleTools, type ToolResult } from '../../src/apps/assemble.ts';
import { UNTIL_GO } from '../support/patience.ts';
import { JUDGED, testGateway } from '../support/gateway.ts';

async function toolbox(config = JUDGED, agent = 'main') {
  const { gateway, folder, stateDir } = await testGateway(config);
  const of = (name: string) =>
    assembleTools({
      workspace: folder,
      stateDir: join(stateDir, 'files'),
      agent: name,
      gateway: async () => gateway,
      environment: { HOME: folder, PATH: '/usr/bin:/bin' },
    });
  return { tools: of(agent), of, folder, gateway };
}

const asked = ({ details }: ToolResult) => details['approvalId'] as string;

describe('a call that waits for a person', () => {
  it('returns the result of its command when the person allows it', async () => {
    const { tools, folder } = await toolbox();
    const approvalId = asked(await tools.call('exec', { command: 'touch made; echo done' }));
    expect(existsSync(join(folder, 'made'))).toBe(false);
    expect(await tools.decide({ approvalId, decision: 'allow-once', by: 'tester' })).toMatchObject({
      content: [{ type: 'text', text: 'done' }],
      details: { status: 'completed', exitCode: 0, aggregated: 'done\n' },
    });
    expect(existsSync(join(folder, 'made'))).toBe(true);
  });

  it('reports the stored rule when the person always allows it', async () => {
    const { tools } = await toolbox();
    const approvalId = asked(await tools.call('exec', { command: 'touch made' }));
    const result = await tools.decide({ approvalId, decision: 'allow-always', by: 'tester' });
    expect(result.details).toMatchObject({ status: 'completed', stored: ['/usr/bin/touch'] });
    expect(result.content.at(-1)).toEqual({
      type: 'text',
      text: '[Note: added to the allowlist: /usr/bin/touch]',
    });
    expect((await tools.call('exec', { command: 'touch made' })).details).toMatchObject({ status: 'completed' });
  });

  it('is denied, and runs nothing, when the person denies it', async () => {
    const { tools, folder } = await toolbox();
    const approvalId = asked(await tools.call('exec', { command: 'touch made' }));
    expect(await tools.decide({ approvalId, decision: 'deny', by: 'tester' })).toMatchObject({
      isError: true,
      details: { status: 'denied', code: 'EXEC_DENIED', reason: 'user-denied' },
    });
    expect(existsSync(join(folder, 'made'))).toBe(false);
  });

  it('runs once, however often it is answered', async () => {
    const { tools } = await toolbox();
    const approvalId = asked(await tools.call('exec', { command: 'echo x >> log; cat log' }));
    const answer = () => tools.decide({ approvalId, decision: 'allow-once', by: 'tester' });
    const [first, second] = [await answer(), await answer()];
    expect([first.details, second.details]).toMatchObject([{ aggregated: 'x\n' }, { aggregated: 'x\n' }]);
    expect(second.content.at(-1)).toMatchObject({ text: expect.stringContaining('already') });
  });

  it('cannot be answered for another agent', async () => {
    const { tools, of } = await toolbox();
    const approvalId = asked(await tools.call('exec', { command: 'touch made' }));
    expect(await of('other').decide({ approvalId, decision: 'allow-once', by: 'tester' })).toMatchObject({
      isError: true,
      details: { code: 'APPROVAL_UNKNOWN' },
    });
  });
});

describe('updates', () => {
  it('report the output of a command while its call waits', async () => {
    const { tools, folder } = await toolbox({});
    const seen: unknown[] = [];
    const onUpdate = ({ details }: ToolResult) => {
      seen.push(details['tail']);
      if (details['tail'] === 'one\n') writeFileSync(join(folder, 'go'), '');
    };
    const command = `echo one; ${UNTIL_GO}; echo two`;
    const result = await tools.call('exec', { command, yieldMs: 50_000 }, { onUpdate });
    expect(result.details).toMatchObject({ status: 'completed', aggregated: 'one\ntwo\n' });
    expect(seen).toContain('one\n');
  });

  it('are no hindrance where the command is refused', async () => {
    const { tools } = await toolbox({ tools: { exec: { host: 'gateway', security: 'deny' } } });
    const result = await tools.call('exec', { command: 'echo' }, { onUpdate: () => expect.unreachable() });
    expect(result.details).toMatchObject({ status: 'denied' });
  });
});
