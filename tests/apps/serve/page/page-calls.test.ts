import { describe, expect, it } from 'vitest';
import { LONGEST_RESULT, MOST_UNSENT_EVER } from '../../../../src/apps/serve/page/limits.ts';
import type { PageMethod } from '../../../../src/apps/serve/page/methods/page-method.ts';
import { PageCalls, type PageCallsOptions } from '../../../../src/apps/serve/page/page-calls.ts';
import { PageSending } from '../../../../src/apps/serve/page/page-sending.ts';
import type { ToPage } from '../../../../src/wire/page.ts';
import { object } from '../../../../src/wire/schema.ts';
import { eventLoopTurns, until } from '../../../support/patience.ts';

interface Parts {
  readonly method: PageMethod;
  readonly hasLogin?: () => Promise<boolean>;
  readonly follow?: () => Promise<void>;
  readonly log?: (text: string) => void;
}

/** The calls of a page that reads nothing. */
function calls({ method, hasLogin = async () => true, follow = async () => undefined, log = () => undefined }: Parts) {
  const sent: ToPage[] = [];
  const socket = {
    OPEN: 1,
    readyState: 1,
    bufferedAmount: 0,
    send(text: string) {
      sent.push(JSON.parse(text) as ToPage);
      socket.bufferedAmount += Buffer.byteLength(text);
    },
    terminate: () => (socket.readyState = 3),
  };
  const closed = new AbortController();
  const options: PageCallsOptions = {
    gateway: async () => ({ follow }) as never,
    methods: new Map([['method', method]]),
    served: { agent: 'main', workspace: '/w', environment: {} },
    record: async () => undefined,
    log,
  };
  const login = { id: 'l', role: 'operator', name: 'operator-1', createdAt: 0, lastSeenAt: 0 } as const;
  const page = new PageCalls(options, {
    sending: new PageSending(socket as never),
    login,
    hasLogin,
    signal: closed.signal,
  });
  return { page, sent, socket, closed };
}

const reads = (run: PageMethod['run']): PageMethod => ({ role: 'viewer', params: object({}), run });

describe('calls at once', () => {
  it('do not fill the memory with results that the page does not read', async () => {
    let finish: () => void = () => undefined;
    const all = new Promise<void>((resolve) => (finish = resolve));
    const large = 'x'.repeat(LONGEST_RESULT / 2);
    const { page, sent, socket } = calls({ method: reads(() => all.then(() => large)) });
    for (let id = 1; id <= 32; id++) page.call({ type: 'call', id, method: 'method', params: {} });
    await eventLoopTurns();
    finish();
    await until(() => sent.length === 32, 'all answers');
    expect(socket.bufferedAmount).toBeLessThan(MOST_UNSENT_EVER + 32 * 1_000);
    const refused = sent.filter(({ type }) => type === 'fault');
    expect([sent.filter(({ type }) => type === 'result').length, refused.length]).toEqual([2, 30]);
    expect(refused[0]).toMatchObject({ fault: { code: 'GATEWAY_BUSY' } });
  });

  it('have results of at most 8 MiB, counted in bytes', async () => {
    const { page, sent } = calls({ method: reads(async () => '語'.repeat(LONGEST_RESULT / 2)) });
    page.call({ type: 'call', id: 1, method: 'method', params: {} });
    await until(() => sent.length === 1, 'the answer');
    expect(sent).toMatchObject([{ type: 'fault', fault: { code: 'GATEWAY_TOO_LARGE' } }]);
  });
});

describe('a call that the page cancels', () => {
  it('ends with a fault that says so, and is no defect', async () => {
    const logged: string[] = [];
    const waits = (_: unknown, { signal }: { readonly signal: AbortSignal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error));
      });
    const { page, sent } = calls({ method: reads(waits), log: (text) => void logged.push(text) });
    page.call({ type: 'call', id: 1, method: 'method', params: {} });
    await eventLoopTurns();
    page.cancel(1);
    await until(() => sent.length === 1, 'the answer');
    expect([sent, logged]).toMatchObject([[{ type: 'fault', fault: { code: 'TOOL_ABORTED' } }], []]);
  });
});

describe('a page that is gone or logged out', () => {
  it('starts no call: the control of a session would stay with it', async () => {
    const ran: string[] = [];
    let known: (ok: boolean) => void = () => undefined;
    const { page, closed, sent } = calls({
      method: reads(async () => void ran.push('control')),
      hasLogin: () => new Promise((resolve) => (known = resolve)),
    });
    page.call({ type: 'call', id: 1, method: 'method', params: {} });
    await eventLoopTurns();
    closed.abort();
    known(true);
    await until(() => sent.length === 1, 'the answer');
    expect([ran, sent]).toMatchObject([[], [{ type: 'fault', fault: { code: 'TOOL_ABORTED' } }]]);
  });

  it('follows no session', async () => {
    const followed: string[] = [];
    const { page } = calls({
      method: reads(async () => null),
      hasLogin: async () => false,
      follow: async () => void followed.push('followed'),
    });
    page.follow({ type: 'follow', id: 1, sessionId: 's', after: 0 });
    await eventLoopTurns();
    expect([followed, page.isOpen(1)]).toEqual([[], false]);
  });
});
