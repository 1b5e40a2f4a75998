import { describe, expect, it } from 'vitest';
import { announced } from '../../../src/apps/node/announced.ts';
import type { IncomingCall } from '../../../src/hosts/channel/serving.ts';
import { until } from '../../support/patience.ts';

const PIECE = { stream: 'out', start: 0, bytes: Uint8Array.of(1) } as const;

function call() {
  const sent: unknown[] = [];
  const incoming = {
    event: (value: unknown) => void sent.push(value),
    log: () => void sent.push('log'),
  } as unknown as IncomingCall;
  return { sent, ...announced(incoming, 'accepted') };
}

describe('the start of a command on a node', () => {
  it('is announced before its output, once', () => {
    const { sent, following } = call();
    following.log(PIECE);
    following.event('gap');
    following.log(PIECE);
    expect(sent).toEqual(['accepted', 'log', 'gap', 'log']);
  });

  it('is announced of a command that runs for a moment', async () => {
    const { sent } = call();
    expect(sent).toEqual([]);
    await until(() => sent.length > 0, 'the announcement');
    expect(sent).toEqual(['accepted']);
  });

  it('is not announced where the answer says the same', () => {
    const { sent, stop, announce } = call();
    stop();
    announce();
    expect(sent).toEqual([]);
  });
});
