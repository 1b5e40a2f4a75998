import { describe, expect, it } from 'vitest';
import { SessionOutput } from '../../../../src/apps/serve/page/output.ts';
import { OUTPUT_HEADER_BYTES, OUTPUT_WINDOW_BYTES, type ToPage } from '../../../../src/wire/page.ts';
import { eventLoopTurns } from '../../../support/patience.ts';

const WINDOW = { type: 'output', start: 0, stream: 'out', bytes: Buffer.alloc(OUTPUT_WINDOW_BYTES) } as const;

/** A page whose socket has no room until `free`. */
function slowPage() {
  const sent: (ToPage | number)[] = [];
  let free: () => void = () => undefined;
  const room = new Promise<void>((resolve) => (free = resolve));
  const output = new SessionOutput(7, {
    message: (message) => void sent.push(message),
    bytes: (bytes) => void sent.push(bytes.length),
    room: () => room,
  });
  return { output, sent, free };
}

/** Whether the follower may send more. */
async function isSettled(wait: Promise<void> | undefined): Promise<boolean> {
  let hasSettled = wait === undefined;
  void wait?.then(() => (hasSettled = true));
  await eventLoopTurns();
  return hasSettled;
}

describe('the output of a session', () => {
  it('waits for room and for credit', async () => {
    const { output, sent, free } = slowPage();
    const wait = output.event(WINDOW);
    expect(sent).toEqual([OUTPUT_HEADER_BYTES + OUTPUT_WINDOW_BYTES]);
    free();
    expect(await isSettled(wait)).toBe(false);
    output.credit(1);
    expect(await isSettled(wait)).toBe(true);
  });

  it.each([
    ['while it waits for room', async () => {}],
    ['while it waits for credit', eventLoopTurns],
  ])('waits no longer when the subscription ends %s', async (_, turns) => {
    const { output, free } = slowPage();
    const wait = output.event(WINDOW);
    if (turns === eventLoopTurns) free();
    await turns();
    output.end();
    free();
    expect(await isSettled(wait)).toBe(true);
    expect(await isSettled(output.event(WINDOW))).toBe(true);
  });
});
