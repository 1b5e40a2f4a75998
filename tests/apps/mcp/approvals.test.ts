import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ElicitRequest, ElicitResult } from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { stateCodec } from '../../../src/apps/mcp/state.ts';
import { makeFolder } from '../../support/folder.ts';
import { until, withEnoughTime } from '../../support/patience.ts';
import { connect, type Connecting, ERAS, type Ground, ground, pincer, textIn } from './serving.ts';

const ASKING = { tools: { exec: { host: 'gateway', security: 'allowlist', ask: 'on-miss' } } };
const MAKE = { command: 'touch made.txt' };

/** A person who answers so, and what they were shown. */
function person(answer: ElicitResult | (() => never)) {
  const shown: ElicitRequest[] = [];
  return {
    shown,
    elicit: (request: ElicitRequest): ElicitResult => {
      shown.push(request);
      return typeof answer === 'function' ? answer() : answer;
    },
  };
}

const saying = (decision: string): ElicitResult => ({ action: 'accept', content: { decision } });

describe.each(ERAS)('a command that needs a person, in a client of the %s era', (era) => {
  it('runs when it is allowed, and the question contains all effects of the answer', async () => {
    const at = ground(ASKING);
    const { shown, elicit } = person(saying('allow-once'));
    const { call } = await connect(at, { era, elicit });
    expect(await call('exec', MAKE)).toMatchObject({ structuredContent: { status: 'completed', exitCode: 0 } });
    expect(existsSync(join(at.workspace, 'made.txt'))).toBe(true);
    expect(shown).toHaveLength(1);
    const { message, requestedSchema } = shown[0]!.params as { message: string; requestedSchema: unknown };
    expect(message).toMatch(/^Run this command\? \(approval [0-9a-f]{8}\)\n\n {2}touch made\.txt\n\n/u);
    expect(message).toContain(`  folder   ${at.workspace}`);
    expect(message).toContain('  on       gateway, for test-client');
    expect(message).toMatch(/^ {2}why {6}.*is not on the allowlist$/mu);
    expect(message).toMatch(/^ {2}always {3}\{.*touch/mu);
    expect(requestedSchema).toMatchObject({
      properties: { decision: { enum: ['allow-once', 'allow-always', 'deny'] }, reason: { type: 'string' } },
      required: ['decision'],
    });
    expect(JSON.stringify(requestedSchema)).not.toContain('default');
    expect(message.split('touch made.txt')).toHaveLength(2);
    const { approvals } = JSON.parse(await pincer(at, 'approvals', 'list', '--all', '--json'));
    expect(approvals).toMatchObject([{ decision: 'allow-once', resolvedBy: 'mcp:test-client' }]);
  });

  it('is asked about again after allow-once, and not after allow-always', async () => {
    const at = ground(ASKING);
    const { shown, elicit } = person(saying('allow-always'));
    const { call } = await connect(at, { era, elicit });
    await call('exec', MAKE);
    const again = await call('exec', MAKE);
    expect([shown.length, again.structuredContent]).toMatchObject([1, { status: 'completed' }]);
  });

  it.each([
    ['it is declined', { action: 'decline' }],
    ['the answer is deny', saying('deny')],
  ] as const)('does not run when %s', async (_, answer) => {
    const at = ground(ASKING);
    const { call } = await connect(at, { era, ...person(answer) });
    expect(await call('exec', MAKE)).toMatchObject({
      isError: true,
      structuredContent: { status: 'denied', reason: 'user-denied' },
    });
    expect(existsSync(join(at.workspace, 'made.txt'))).toBe(false);
  });

  it('B23: reports to the agent that the user denied it, and why', async () => {
    const at = ground(ASKING);
    const content = { decision: 'deny', reason: 'not on a Friday' };
    const { call } = await connect(at, { era, ...person({ action: 'accept', content }) });
    const result = await call('exec', MAKE);
    expect(textIn(result)).toBe('the command was not run: the user denied it: not on a Friday');
  });

  it.each([
    ['the question is put aside', person({ action: 'cancel' })],
    ['it is accepted without a choice', person({ action: 'accept', content: {} })],
    ['the answer is none of those offered', person(saying('allow-everything'))],
    ['the client cannot ask', {}],
  ] as const)('waits in the inbox when %s', async (_, who) => {
    const at = ground(ASKING);
    const { call } = await connect(at, { era, ...who });
    const result = await call('exec', MAKE);
    const { approvalSlug } = result.structuredContent as { approvalSlug: string };
    expect(result).toMatchObject({
      structuredContent: { status: 'approval-pending', approveWith: `pincer approvals allow ${approvalSlug}` },
    });
    expect(textIn(result)).toContain(`pincer approvals allow ${approvalSlug}`);
    expect(existsSync(join(at.workspace, 'made.txt'))).toBe(false);
    await pincer(at, 'approvals', 'allow', approvalSlug);
    await expect.poll(() => existsSync(join(at.workspace, 'made.txt'))).toBe(true);
  });

  it('is asked about with nothing hidden', async () => {
    const at = ground(ASKING);
    const { shown, elicit } = person({ action: 'decline' });
    const { call } = await connect(at, { era, elicit });
    const hostile = 'touch a\u202e\u0007b # harmless\n\nallow-always: nothing can be stored';
    await call('exec', { command: hostile });
    const { message } = shown[0]!.params as { message: string };
    for (const mark of ['\u202e', '\u0007']) expect(message).not.toContain(mark);
    expect(message).toContain('\n  touch a\\u{202e}\\u{7}b # harmless\\n\\nallow-always: nothing can be stored');
  });

  it('is not asked about when it is too long to be read', async () => {
    const at = ground(ASKING);
    const { shown, elicit } = person(saying('allow-once'));
    const { call } = await connect(at, { era, elicit });
    const result = await call('exec', { command: `touch ${'x'.repeat(5_000)}` });
    expect([shown.length, result.structuredContent]).toMatchObject([0, { status: 'approval-pending' }]);
  });
});

describe('a client of the legacy era that gets progress', () => {
  it('is waited for as long as the approval can be answered, also for a month', async () => {
    const at = ground({ ...ASKING, approvals: { timeoutMs: 30 * 86_400_000 } });
    const elicit = async (): Promise<ElicitResult> => {
      // A timer that overflows fires at once, before the server has answered all of these.
      for (let i = 0; i < 5; i++) await client.ping();
      return saying('allow-once');
    };
    const { client, said } = await connect(at, { elicit });
    const result = await client.callTool({ name: 'exec', arguments: MAKE }, { onprogress: () => undefined });
    expect(result.structuredContent).toMatchObject({ status: 'completed', exitCode: 0 });
    expect(said()).not.toContain('TimeoutOverflowWarning');
  });
});

describe('a client of the legacy era that fails to ask', () => {
  it('leaves the approval request pending', async () => {
    const at = ground(ASKING);
    const { elicit } = person(() => {
      throw new Error('no window');
    });
    const { call } = await connect(at, { elicit });
    expect((await call('exec', MAKE)).structuredContent).toMatchObject({ status: 'approval-pending' });
  });
});

describe('what a client carries from the question to the answer', () => {
  interface Asked {
    readonly requestState: string;
  }

  async function asked(config: object = ASKING) {
    const at = ground(config);
    const raw = await caller(at, person(saying('allow-once')));
    const first = (await raw(MAKE)) as Asked;
    const answer = { inputResponses: { approval: saying('allow-once') } };
    return { at, raw, answer, state: first.requestState };
  }

  /** Calls exec through a server of its own, and is given questions as they come. */
  async function caller(at: Ground, who: Pick<Connecting, 'elicit'>) {
    const { client } = await connect(at, { era: 'modern', ...who, inputRequired: { autoFulfill: false } });
    return (args: object, more: object = {}) =>
      client.request(
        { method: 'tools/call', params: { name: 'exec', arguments: args, ...more } } as never,
        {
          allowInputRequired: true,
        } as never,
      ) as Promise<unknown>;
  }

  it('runs the command once, and is refused when it is carried again', async () => {
    const { at, raw, answer, state } = await asked();
    expect(await raw(MAKE, { ...answer, requestState: state })).toMatchObject({ structuredContent: { exitCode: 0 } });
    await expect(raw(MAKE, { ...answer, requestState: state })).rejects.toMatchObject({ code: -32602 });
    expect(existsSync(join(at.workspace, 'made.txt'))).toBe(true);
    expect(readFileSync(join(at.stateDir, 'mcp', 'state.key'))).toHaveLength(32);
  });

  it('is valid once when it is sent several times concurrently, and the others are refused', async () => {
    const { at, raw, answer, state } = await asked();
    const carried = () => raw(MAKE, { ...answer, requestState: state });
    const results = await Promise.allSettled([carried(), carried(), carried()]);
    expect(results.filter(({ status }) => status === 'fulfilled')).toMatchObject([
      { value: { structuredContent: { status: 'completed', exitCode: 0 } } },
    ]);
    const others = results.flatMap((result) => (result.status === 'rejected' ? [String(result.reason)] : []));
    expect(others).toHaveLength(2);
    for (const heard of others)
      expect(heard).toContain('the first answering call has the result, and nothing was run again');
    expect(existsSync(join(at.workspace, 'made.txt'))).toBe(true);
  });

  it.each([
    ['forged', (state: string) => `${state.slice(0, -4)}AAAA`, MAKE],
    ['cut', (state: string) => state.slice(0, 20), MAKE],
    ['nothing', () => '', MAKE],
    ['of another call', (state: string) => state, { command: 'touch other.txt' }],
  ])('is refused when it is %s, and nothing runs', async (_, change, args) => {
    const { at, raw, answer, state } = await asked();
    await expect(raw(args, { ...answer, requestState: change(state) })).rejects.toMatchObject({ code: -32602 });
    expect(existsSync(join(at.workspace, 'made.txt'))).toBe(false);
    expect(existsSync(join(at.workspace, 'other.txt'))).toBe(false);
  });

  it('is refused when the approval request has expired', async () => {
    const { at, raw, answer, state } = await withEnoughTime(
      (timeoutMs) => asked({ ...ASKING, approvals: { timeoutMs } }),
      (question) => question.state !== undefined,
      300,
    );
    await until(async () => {
      const { approvals } = JSON.parse(await pincer(at, 'approvals', 'list', '--all', '--json'));
      return approvals[0].state === 'expired';
    }, 'the end of the approval');
    await expect(raw(MAKE, { ...answer, requestState: state })).rejects.toMatchObject({ code: -32602 });
    expect(existsSync(join(at.workspace, 'made.txt'))).toBe(false);
  });

  it.each([
    ['a server inside of a session', { PINCER_SESSION: 'brisk-otter' }, person(saying('allow-once'))],
    ['a client that cannot ask', {}, {}],
  ])('is refused by %s, and nothing runs', async (_, env, who) => {
    const { at, answer, state } = await asked();
    const raw = await caller({ ...at, env: { ...at.env, ...env } }, who);
    await expect(raw(MAKE, { ...answer, requestState: state })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('no person can be asked through this client; nothing was run'),
    });
    expect(existsSync(join(at.workspace, 'made.txt'))).toBe(false);
  });

  it('is good as long as an approval can be', async () => {
    const codec = stateCodec({ stateDir: makeFolder(), setting: { agent: 'main', workspace: '/ws' } });
    const context = { mcpReq: { method: 'tools/call' } } as never;
    const month = 30 * 86_400_000;
    const payload = { approvalId: 'a', call: 'c', expiresAtMs: Date.now() + month };
    const state = await codec.mint(payload, context);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + month - 1_000 });
    onTestFinished(() => void vi.useRealTimers());
    expect(await codec.verify(state, context)).toEqual(payload);
  });

  it('does not count without it: an answer alone is a new question', async () => {
    const { at, raw, answer } = await asked();
    expect(await raw(MAKE, answer)).toMatchObject({ resultType: 'input_required' });
    expect(existsSync(join(at.workspace, 'made.txt'))).toBe(false);
  });
});

describe('a command of a session that serves itself', () => {
  it('cannot answer its own questions', async () => {
    const at = ground(ASKING);
    const inside = { ...at, env: { ...at.env, PINCER_SESSION: 'brisk-otter' } };
    const { shown, elicit } = person(saying('allow-once'));
    const { call } = await connect(inside, { elicit });
    const { structuredContent } = await call('exec', MAKE);
    expect([shown.length, structuredContent]).toMatchObject([0, { status: 'approval-pending' }]);
  });
});
