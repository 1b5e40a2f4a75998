import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { OpenSandbox } from '../../../../src/hosts/sandbox/backend.ts';
import { createTurns } from '../../../../src/hosts/sandbox/container/backend.ts';

/** A sandbox that only tells what happens to it. */
function sandbox(name: string, told: string[]): OpenSandbox {
  let over: (reason: string) => void = () => {};
  const ended = new Promise<string>((resolve) => {
    over = resolve;
  });
  told.push(`${name} opened`);
  return {
    channel: new PassThrough(),
    ended,
    async end() {
      told.push(`${name} ended`);
      over('it was ended');
    },
  };
}

describe('the turns of sandboxes', () => {
  it('end an earlier one of the same name before the next is opened', async () => {
    const told: string[] = [];
    const inTurn = createTurns(4);
    await Promise.all(['first', 'second', 'third'].map((name) => inTurn('same', async () => sandbox(name, told))));
    expect(told).toEqual(['first opened', 'first ended', 'second opened', 'second ended', 'third opened']);
  });

  it('go on after one that could not be opened', async () => {
    const told: string[] = [];
    const inTurn = createTurns(1);
    const failing = inTurn('same', () => Promise.reject(new Error('no')));
    const next = inTurn('same', async () => sandbox('next', told));
    await expect(failing).rejects.toThrow('no');
    await next;
    expect(told).toEqual(['next opened']);
  });

  it('limit how many open at the same time', async () => {
    const inTurn = createTurns(3);
    let now = 0;
    let most = 0;
    const open = async () => {
      most = Math.max(most, ++now);
      await new Promise((resolve) => setImmediate(resolve));
      now--;
      return sandbox('any', []);
    };
    await Promise.all(Array.from({ length: 20 }, (_, i) => inTurn(`${i}`, open)));
    expect({ now, most }).toEqual({ now: 0, most: 3 });
  });
});
