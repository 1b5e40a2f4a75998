import { describe, expect, it } from 'vitest';
import { DAEMON_METHODS } from '../../../../src/apps/serve/page/methods/daemon-methods.ts';
import type { PageCall } from '../../../../src/apps/serve/page/methods/page-method.ts';
import { METHODS } from '../../../../src/wire/methods.ts';
import type { ObjectSchema } from '../../../../src/wire/schema.ts';

const membersOf = (params: unknown): readonly string[] =>
  Object.keys({ ...(params as ObjectSchema).required, ...(params as ObjectSchema).optional });

/** What the daemon gets from a call of a page. */
async function sent(name: string, params: object, call: Partial<PageCall> = {}): Promise<unknown> {
  let got: unknown;
  const gateway = { call: async (_: string, given: unknown) => void (got = given) };
  const page = {
    gateway,
    agent: 'main',
    workspace: '/w',
    by: 'page:x',
    environment: {},
    controlled: { typist: 't' },
    login: { id: 'l' },
    signal: new AbortController().signal,
  };
  await DAEMON_METHODS.get(name)!.run(params, { ...page, ...call } as never);
  return got;
}

describe('the methods of a page', () => {
  it.each([...DAEMON_METHODS])('%s: the page gives no parameter that says who calls', (_, { params }) => {
    for (const member of ['caller', 'by', 'typist', 'restrictions', 'environment'])
      expect(membersOf(params)).not.toContain(member);
  });

  it.each([...DAEMON_METHODS].filter(([, { role }]) => role === 'operator'))(
    '%s: a change is recorded, by the daemon or by the server of the page',
    (name, { recorded }) => {
      const byDaemon = membersOf(METHODS[name as keyof typeof METHODS].params).includes('by');
      expect(byDaemon).toBe(recorded === undefined);
    },
  );

  it('records what is named, and never what is typed', () => {
    const recorded = DAEMON_METHODS.get('session.input')!.recorded!;
    expect(recorded({ sessionId: 's', input: { kind: 'text', text: 'secret' }, more: 1 })).toEqual({
      method: 'session.input',
      sessionId: 's',
    });
  });

  it.each([
    ['audit.list', { limit: 1e9 }, { limit: 1_000 }],
    ['audit.list', {}, { limit: 1_000 }],
    ['audit.list', { after: 5, limit: 10 }, { after: 5, limit: 10 }],
    ['notice.list', { limit: 1e9 }, { limit: 1_000 }],
    [
      'session.recording',
      { sessionId: 's', from: 0, maxBytes: 1e9 },
      { sessionId: 's', from: 0, maxBytes: 0x8_0000, caller: { agent: 'main', operator: true } },
    ],
    ['approval.list', { limit: 1e9 }, { limit: 5_000, maxBytes: 6 << 20 }],
    ['approval.list', { limit: 1, maxBytes: 1e12 }, { limit: 1, maxBytes: 6 << 20 }],
    [
      'session.wait',
      { sessionId: 's', waitMs: 1e9 },
      { sessionId: 's', waitMs: 60_000, caller: { agent: 'main', operator: true } },
    ],
    ['sandbox.recreate', { agent: 'other' }, { agent: 'other' }],
    ['sandbox.recreate', {}, {}],
  ])('%s with %j asks the daemon for %j', async (name, params, expected) => {
    expect(await sent(name, params)).toEqual(expected);
  });

  it('makes one large call of a login at a time, and those of others beside it', async () => {
    let running = 0;
    let most = 0;
    const gateway = {
      async call() {
        most = Math.max(most, ++running);
        await new Promise((resolve) => setImmediate(resolve));
        running--;
        return [];
      },
    };
    const signal = new AbortController().signal;
    const list = (id: string): Promise<unknown> =>
      DAEMON_METHODS.get('approval.list')!.run({}, { gateway, login: { id }, signal } as never);
    await Promise.all([list('a'), list('b'), list('a'), list('a')]);
    expect(most).toBe(2);
  });
});
