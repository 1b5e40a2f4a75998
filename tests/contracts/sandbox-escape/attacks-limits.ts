/** Attacks on what a sandbox may use. */
import { expect } from 'vitest';
import type { Attacks } from './arena.ts';

const MIB = 1024 * 1024;

export const limitAttacks: Attacks = {
  async 'fork-bomb'({ open }) {
    const plain = await open({ limits: { tmpBytes: 8 * MIB, pids: 64 } });
    const { out } = await plain.sh('./implements forks 500');
    expect(Number(/forked (\d+)/u.exec(out)?.[1])).toBeLessThan(64);
    expect((await plain.sh('echo alive')).out).toBe('alive\n');
    // One that stays: its processes are ended, and the sandbox goes on.
    const watched = await open({ limits: { tmpBytes: 8 * MIB, pids: 128 }, link: { mostTasks: 96 } });
    const bomb = '(while :; do sleep 1000 & done) 2>/dev/null; exec sleep 1000';
    expect(await watched.sh(bomb)).toMatchObject({ code: 'SIGKILL' });
    expect((await watched.sh('echo alive')).out).toBe('alive\n');
    expect((await watched.tool('write', { path: 'after.txt', content: 'x' })).isError).toBeUndefined();
  },

  async 'memory-bomb'({ open }) {
    const box = await open({ limits: { tmpBytes: 8 * MIB, memoryBytes: 256 * MIB } });
    const ran = await Promise.race([
      box.sh('./implements eat 600'),
      box.opened.ended.then((reason) => ({ out: reason })),
    ]);
    expect(ran.out).not.toMatch(/^ate/mu);
    expect((await box.sh('echo alive')).out).toBe('alive\n');
    const other = await open({ limits: { tmpBytes: 8 * MIB, memoryBytes: 256 * MIB } });
    expect((await other.sh('./implements eat 50')).out).toBe('ate 50\n');
  },

  async 'file-size'({ open }) {
    const box = await open({ limits: { tmpBytes: 64 * MIB, fileBytes: MIB } });
    const { out } = await box.sh(
      'head -c 5000000 /dev/zero > big; wc -c < big; head -c 5000000 /dev/zero > /tmp/big; wc -c < /tmp/big',
    );
    expect(out.match(/^\d+$/gmu)).toEqual([`${MIB}`, `${MIB}`]);
    expect((await box.sh('echo alive')).out).toBe('alive\n');
  },

  async 'tmp-fill'({ open }) {
    const box = await open({ limits: { tmpBytes: 8 * MIB } });
    const places = ['/tmp/fill', '/var/tmp/fill2', '/dev/shm/fill', '/run/fill', '/dev/fill', '/home/fill'];
    const { out } = await box.sh(
      `for f in ${places.join(' ')}; do dd if=/dev/zero of=$f bs=1M count=200 2>/dev/null; done; cat ${places.join(' ')} 2>/dev/null | wc -c; rm -f ${places.join(' ')}`,
    );
    expect(Number(out.trim())).toBeLessThan(160 * MIB);
    expect((await box.sh('echo alive')).out).toBe('alive\n');
  },

  async 'limits-enforced'({ contender: { unenforceable } }) {
    for (const limit of unenforceable.limits)
      await expect(unenforceable.ask({ tmpBytes: MIB, ...limit }), JSON.stringify(limit)).rejects.toMatchObject({
        code: 'SANDBOX_LIMIT_UNENFORCEABLE',
      });
    expect(unenforceable.limits.length).toBeGreaterThan(2);
  },

  async 'output-flood'({ box }) {
    const before = process.memoryUsage().rss;
    const { bytes } = await box.sh('dd if=/dev/zero bs=1M count=150 2>/dev/null');
    expect(bytes).toBe(150 * MIB);
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * MIB);
  },
};
