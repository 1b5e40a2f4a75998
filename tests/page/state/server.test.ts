/** The shared state with its connection, and a server that the test plays. */
import { expect, it, onTestFinished, vi } from 'vitest';
import { proofOf } from '../../../src/page/socket/handshake.ts';
import type { ApprovalInfo } from '../../../src/wire/approval.ts';
import type { Notice } from '../../../src/wire/notice.ts';
import type { FromPage, ToPage } from '../../../src/wire/page.ts';
import { eventLoopTurns, until } from '../../support/patience.ts';
import { approvalExample } from '../approval-example.ts';
import { WELCOME } from '../welcome-example.ts';

type Call = Extract<FromPage, { type: 'call' }>;

class FakeSocket extends EventTarget {
  static last: FakeSocket | undefined;
  readonly OPEN = 1;
  readonly readyState = 1;
  readonly sent: FromPage[] = [];

  constructor() {
    super();
    FakeSocket.last = this;
  }

  send(text: string): void {
    this.sent.push(JSON.parse(text) as FromPage);
  }

  close(): void {
    this.dispatchEvent(new Event('close'));
  }
}

/** Modules of its own: the connection of a page is one for all. */
async function openPage() {
  vi.resetModules();
  vi.stubGlobal('WebSocket', FakeSocket);
  const items = new Map(Object.entries({ 'pincer.key': 'the key', 'pincer.port': '7462' }));
  vi.stubGlobal('localStorage', { getItem: (name: string) => items.get(name) ?? null });
  vi.stubGlobal('location', { href: 'http://127.0.0.1:1/', origin: 'http://127.0.0.1:1' });
  vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'clearTimeout', 'clearInterval'] });
  onTestFinished(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });
  const server = await import('../../../src/page/state/server.ts');
  const state = {
    ...(await import('../../../src/page/state/approvals.ts')),
    ...(await import('../../../src/page/state/toasts.ts')),
    ...(await import('../../../src/page/state/link.ts')),
  };
  const socket = () => FakeSocket.last!;
  const send = (message: ToPage): void => {
    socket().dispatchEvent(new MessageEvent('message', { data: JSON.stringify(message) }));
  };
  const calls = (method: string) =>
    socket().sent.filter((message): message is Call => message.type === 'call' && message.method === method);
  const connect = async (resume: 'resumed' | 'reset', version = '1'): Promise<void> => {
    server.tryNow();
    socket().dispatchEvent(new Event('open'));
    const hello = socket().sent.find((message) => message.type === 'hello')!;
    const handshake = { origin: 'http://127.0.0.1:1', port: 7462, pageNonce: hello.nonce, serverNonce: 'the server' };
    send({ type: 'challenge', nonce: handshake.serverNonce, proof: await proofOf('server', 'the key', handshake) });
    await until(() => socket().sent.some(({ type }) => type === 'proof'), 'the proof');
    send({ ...WELCOME, version, resume });
  };
  /** Answers the last call of a method. */
  const answer = async (method: string, value: unknown): Promise<void> => {
    const last = calls(method).at(-1);
    if (last === undefined) throw new Error(`no call of ${method}`);
    send({ type: 'result', id: last.id, value });
    await eventLoopTurns();
  };
  const notice = (seq: number, kind: Notice['kind'], more: { readonly approval?: ApprovalInfo } = {}): void =>
    send({
      type: 'notice',
      notice: { agent: 'main', seq, time: 1, kind, text: '', untrusted: true, wake: false, contextKey: '' },
      ...more,
    });
  const fail = async (method: string): Promise<void> => {
    for (const { id } of calls(method).slice(-1))
      send({ type: 'fault', id, fault: { code: 'INTERNAL', message: `${method} failed` } });
    await eventLoopTurns();
  };
  return { socket, send, calls, connect, answer, fail, notice, call: server.call, ...state };
}

it('a request that arrives while the list is loaded stays, and so does an answer', async () => {
  const page = await openPage();
  await page.connect('reset');
  const answered = approvalExample('bbbbbbbb', { state: 'denied', resolvedAt: 5 });
  page.notice(11, 'approval-requested', { approval: approvalExample('aaaaaaaa') });
  page.notice(12, 'approval-resolved', { approval: answered });
  await page.answer('approval.list', [approvalExample('bbbbbbbb')]);
  await page.answer('approval.count', 1);
  expect([...page.approvals.value.values()].map(({ slug, state }) => [slug, state])).toEqual([
    ['aaaaaaaa', 'pending'],
    ['bbbbbbbb', 'denied'],
  ]);
});

it('a burst of events of nodes leaves room for the answers of a person', async () => {
  const page = await openPage();
  await page.connect('reset');
  for (let i = 0; i < 40; i++) page.notice(11 + i, 'node-online');
  expect(page.calls('node.list').length).toBe(1);
  await page.answer('node.list', []);
  expect(page.calls('node.list').length).toBe(2);
  await page.answer('node.list', []);
  expect(page.calls('node.list').length).toBe(2);
});

it('lists whose load was lost with the link are loaded again, also when no event is missing', async () => {
  const page = await openPage();
  await page.connect('reset');
  page.socket().close();
  await eventLoopTurns();
  await page.connect('resumed');
  await page.answer('approval.list', [approvalExample('aaaaaaaa')]);
  await page.answer('approval.count', 1);
  expect([page.approvalsLoaded.value, page.approvals.value.size]).toEqual([true, 1]);
});

it.each([
  ['resumed', 'Live again: nothing was missed'],
  ['reset', 'Live again: the lists are loaded again'],
] as const)('says after a lost link (%s): %s', async (resume, text) => {
  const page = await openPage();
  await page.connect('reset');
  for (const method of ['approval.list', 'session.list', 'node.list']) await page.answer(method, []);
  await page.answer('approval.count', 0);
  page.socket().close();
  await page.connect(resume);
  expect(page.toasts.value.map((toast) => toast.text)).toEqual([text]);
});

it('says that a list could not be loaded until it is loaded, and no longer', async () => {
  const page = await openPage();
  await page.connect('reset');
  await page.fail('node.list');
  expect(page.loadProblem.value).toMatchObject({ message: 'node.list failed' });
  page.notice(11, 'node-online');
  await page.answer('node.list', []);
  expect(page.loadProblem.value).toBeUndefined();
});

it.each(['a gateway of another version', 'a message of another version'])(
  'after %s, nothing comes or goes until the page is loaded again',
  async (what) => {
    const page = await openPage();
    await page.connect('reset');
    for (const method of ['approval.list', 'session.list', 'node.list']) await page.answer(method, []);
    if (what === 'a message of another version') page.send({ type: 'unheard-of' } as unknown as ToPage);
    else {
      page.socket().close();
      await page.connect('resumed', '2');
    }
    expect(page.link.value.kind).toBe('outdated');
    const before = page.socket();
    await expect(page.call('approval.count', { state: 'pending' })).rejects.toThrow('no link to the gateway');
    page.notice(11, 'approval-requested', { approval: approvalExample('aaaaaaaa') });
    vi.advanceTimersByTime(60_000);
    expect([page.approvals.value.size, page.socket() === before, page.link.value.kind]).toEqual([0, true, 'outdated']);
  },
);
