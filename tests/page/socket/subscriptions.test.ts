import { expect, it } from 'vitest';
import { Subscriptions } from '../../../src/page/socket/subscriptions.ts';
import type { FromPage } from '../../../src/wire/page.ts';

function following() {
  const sent: FromPage[] = [];
  const shown: string[] = [];
  const subscriptions = new Subscriptions((message) => void sent.push(message));
  subscriptions.add(3, 'brisk-otter', 0, {
    output: ({ start, bytes }) => void shown.push(`${start}:${new TextDecoder().decode(bytes)}`),
    gap: (start, bytes) => void shown.push(`gap ${start}+${bytes}`),
    end: () => void shown.push('end'),
    fail: ({ code }) => void shown.push(code),
  });
  const output = (start: number, text: string) =>
    subscriptions.output({ id: 3, start, stream: 'out', bytes: new TextEncoder().encode(text) });
  return { sent, shown, subscriptions, output };
}

it('credits what was shown', async () => {
  const { sent, shown, output } = following();
  await output(0, 'abc');
  expect([shown, sent.at(-1)]).toEqual([['0:abc'], { type: 'credit', id: 3, bytes: 3 }]);
});

it('continues on a new link where it stopped, and shows no byte twice', async () => {
  const { sent, shown, subscriptions, output } = following();
  await output(0, 'abc');
  subscriptions.renew();
  expect(sent.at(-1)).toEqual({ type: 'follow', id: 3, sessionId: 'brisk-otter', after: 3 });
  await output(1, 'bcd');
  await output(0, 'ab');
  expect(shown).toEqual(['0:abc', '3:d']);
});

it('shows a gap once, and goes on behind it', async () => {
  const { shown, subscriptions, output } = following();
  await output(0, 'abc');
  subscriptions.gap(3, 3, 100);
  subscriptions.gap(3, 3, 100);
  await output(103, 'x');
  expect(shown).toEqual(['0:abc', 'gap 3+100', '103:x']);
});

it('sends nothing more after its end', async () => {
  const { sent, shown, subscriptions, output } = following();
  subscriptions.remove(3);
  await output(0, 'abc');
  expect([shown, sent.at(-1)]).toEqual([[], { type: 'cancel', id: 3 }]);
});
