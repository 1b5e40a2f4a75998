/** A gateway between the page and the real one that changes single answers: for what a real one rarely says. */
import type { Page } from 'playwright-core';
import type { FromPage, ToPage } from '../../../src/wire/page.ts';

type Call = Extract<FromPage, { type: 'call' }>;
type Answer = Extract<ToPage, { type: 'result' | 'fault' }>;

/** The answer that the page gets; undefined: that of the gateway. */
export type ChangeAnswer = (call: Call, answer: Answer) => Answer | undefined;

/** Call it before the page connects. Binary frames pass as they are. */
export async function changeAnswers(page: Page, change: ChangeAnswer): Promise<void> {
  await page.routeWebSocket(/\/page\/socket$/u, (socket) => {
    const server = socket.connectToServer();
    const calls = new Map<number, Call>();
    socket.onMessage((message) => {
      const sent = typeof message === 'string' ? (JSON.parse(message) as FromPage) : undefined;
      if (sent?.type === 'call') calls.set(sent.id, sent);
      server.send(message);
    });
    server.onMessage((message) => {
      const got = typeof message === 'string' ? (JSON.parse(message) as ToPage) : undefined;
      const isAnswer = got?.type === 'result' || got?.type === 'fault';
      const call = isAnswer ? calls.get(got.id) : undefined;
      const changed = isAnswer && call !== undefined ? change(call, got) : undefined;
      socket.send(changed === undefined ? message : JSON.stringify(changed));
    });
  });
}

/** A call of this method fails. */
export function failing(method: string, message: string): ChangeAnswer {
  return (call, { id }) =>
    call.method === method ? { type: 'fault', id, fault: { code: 'INTERNAL', message } } : undefined;
}
