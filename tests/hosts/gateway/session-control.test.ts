import { describe, expect, it } from 'vitest';
import { type TestGateway, testGateway } from '../../support/gateway.ts';
import { until } from '../../support/patience.ts';

const caller = { agent: 'main', operator: true } as const;
const ANN = { caller, typist: 'socket-1', by: 'page:ann' };
const BEN = { caller, typist: 'socket-2', by: 'page:ben' };

async function started(host: TestGateway, command: string, pty = true): Promise<string> {
  const outcome = await host.exec({ command, pty, background: true });
  if (!('session' in outcome)) throw new Error(JSON.stringify(outcome));
  return outcome.session.id;
}

const controlRows = async ({ gateway }: TestGateway) =>
  (await gateway.call('audit.list', {}))
    .filter(({ event }) => event === 'control')
    .map(({ sessionId, by, details }) => [sessionId, by, details['action']]);

describe('the control of a session', () => {
  it('belongs to one person at a time, and is audited', async () => {
    const host = await testGateway();
    const { gateway } = host;
    const sessionId = await started(host, 'cat');
    const taken = await gateway.call('session.control', { ...ANN, sessionId, take: true });
    expect(taken).toMatchObject({ ok: true, session: { controller: { by: 'page:ann' } } });
    expect(await gateway.call('session.control', { ...ANN, sessionId, take: true })).toMatchObject({ ok: true });
    expect(await gateway.call('session.control', { ...BEN, sessionId, take: true })).toMatchObject({
      ok: false,
      reason: 'taken',
      controller: { by: 'page:ann' },
      message: `page:ann has the control of session ${sessionId}`,
    });
    await gateway.call('session.control', { ...BEN, sessionId, take: false });
    expect((await gateway.call('session.wait', { caller, sessionId, waitMs: 0 })).controller?.by).toBe('page:ann');
    await gateway.call('session.control', { ...ANN, sessionId, take: false });
    expect(await gateway.call('session.control', { ...BEN, sessionId, take: true })).toMatchObject({ ok: true });
    expect(await controlRows(host)).toEqual([
      [sessionId, 'page:ann', 'taken'],
      [sessionId, 'page:ann', 'released'],
      [sessionId, 'page:ben', 'taken'],
    ]);
    await gateway.call('session.kill', { caller, sessionId });
    await expect(gateway.call('session.control', { ...ANN, sessionId, take: true })).rejects.toMatchObject({
      code: 'EXEC_SESSION_ENDED',
    });
  });

  it('is needed for input and sizes from the page, and for nobody else', async () => {
    const host = await testGateway();
    const { gateway } = host;
    const sessionId = await started(host, 'cat');
    const input = { kind: 'write', data: 'x\r' } as const;
    const size = { cols: 50, rows: 5 };
    const refused = { code: 'EXEC_CONTROL_NEEDED' };
    const { typist } = ANN;
    await expect(gateway.call('session.input', { caller, sessionId, input, typist })).rejects.toMatchObject(refused);
    await gateway.call('session.control', { ...BEN, sessionId, take: true });
    await expect(gateway.call('session.resize', { caller, sessionId, size, typist })).rejects.toMatchObject({
      ...refused,
      details: { controller: { by: 'page:ben' } },
    });
    const sourceAfter = async (
      more: { readonly typist?: string },
      who: { agent: string; operator?: true } = caller,
    ) => {
      const { session } = await gateway.call('session.input', { caller: who, sessionId, input, ...more });
      return session.lastInput?.source;
    };
    expect(await sourceAfter({ typist: BEN.typist })).toBe('page');
    expect(await sourceAfter({})).toBe('operator');
    expect(await sourceAfter({}, { agent: 'main' })).toBe('agent');
    const resized = await gateway.call('session.resize', { caller, sessionId, size, typist: BEN.typist });
    expect(resized.pty).toEqual(size);
  });
});

describe('the processes of a session', () => {
  it('are a tree without control characters, with one that left its group', async () => {
    const host = await testGateway();
    const script = 'sh -c "sleep 601 & exec sleep 602" "a\u001b[31mb\nc" & setsid sleep 603 & wait';
    const sessionId = await started(host, script);
    const commands = async () => (await host.gateway.call('session.processes', { caller, sessionId })).processes;
    await until(async () => {
      const all = (await commands()).map(({ command }) => command);
      return [601, 602, 603].every((number) => all.includes(`sleep ${number}`));
    }, 'the processes');
    const processes = await commands();
    const pids = processes.map(({ pid }) => pid);
    const inner = processes.find(({ command }) => command === 'sleep 602')!;
    expect(processes.find(({ command }) => command === 'sleep 601')?.ppid).toBe(inner.pid);
    expect(pids).toContain(inner.ppid);
    for (const [at, { ppid }] of processes.entries())
      if (pids.includes(ppid)) expect(pids.indexOf(ppid)).toBeLessThan(at);
    expect(JSON.stringify(processes)).not.toMatch(/\\u001b|\\n/u);
    await host.gateway.call('session.kill', { caller, sessionId });
    expect(await commands()).toEqual([]);
  });
});
