import { describe, expect, it } from 'vitest';
import { MOST_UNSENT_EVER } from '../../../../src/apps/serve/page/limits.ts';
import { PageSending } from '../../../../src/apps/serve/page/page-sending.ts';

const MEBIBYTE = Buffer.alloc(1 << 20);

/** A socket of a page that reads nothing. */
class DeafSocket {
  readonly OPEN = 1;
  readyState = 1;
  bufferedAmount = 0;
  sent = 0;
  send(data: string | Uint8Array): void {
    this.sent++;
    this.bufferedAmount += data.length;
  }
  pong(data: Uint8Array): void {
    this.send(data);
  }
  terminate(): void {
    this.readyState = 3;
  }
}

describe('a page that does not read', () => {
  it.each<[string, (sending: PageSending) => void]>([
    ['answers to its pings', (sending) => sending.message({ type: 'pong', id: 1, now: 0 })],
    ['answers to pings of its socket', (sending) => sending.pong(Buffer.alloc(125))],
    ['faults', (sending) => sending.message({ type: 'fault', id: 1, fault: { code: 'X', message: 'x'.repeat(500) } })],
    ['output', (sending) => sending.bytes(MEBIBYTE)],
  ])('is closed when too many bytes of %s wait', (_, send) => {
    const socket = new DeafSocket();
    const sending = new PageSending(socket as never);
    for (let times = 0; times < 1_000_000 && socket.readyState === 1; times++) send(sending);
    expect([socket.readyState, socket.sent > 0]).toEqual([3, true]);
    expect(socket.bufferedAmount).toBeLessThan(MOST_UNSENT_EVER + (2 << 20));
  });
});
