import { describe, expect, it } from 'vitest';
import { BufferPool } from '../../src/hosts/buffer-pool.ts';

const LONGEST = 65_536;

describe('a buffer pool', () => {
  it('uses released memory again', () => {
    const pool = new BufferPool(LONGEST);
    const first = pool.allocate(LONGEST);
    const second = pool.allocate(LONGEST);
    expect(second.buffer).not.toBe(first.buffer);
    pool.release(first.subarray(100));
    const third = pool.allocate(5000);
    expect({ isSame: third.buffer === first.buffer, length: third.length }).toEqual({ isSame: true, length: 5000 });
  });

  it.each([
    ['short', 100],
    ['too long', LONGEST + 1],
  ])('keeps no %s buffer', (_, bytes) => {
    const pool = new BufferPool(LONGEST);
    const buffer = pool.allocate(bytes);
    pool.release(buffer);
    expect(buffer.length).toBe(bytes);
    expect(pool.allocate(LONGEST).buffer).not.toBe(buffer.buffer);
  });

  it('ignores memory of others', () => {
    const pool = new BufferPool(LONGEST);
    const foreign = Buffer.allocUnsafeSlow(LONGEST);
    pool.release(foreign);
    expect(pool.allocate(LONGEST).buffer).not.toBe(foreign.buffer);
  });
});
