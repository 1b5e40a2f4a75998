/** Attacks on the end of a sandbox, and on terminals. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'vitest';
import type { Attacks } from './arena.ts';

/** Other backends are attacked in the same way at the same time, on the same machine. */
const only = (name: string): string => `${name}-${process.pid}`;

/** Processes of this machine whose name says that they come from an attack. */
function survivors(name: string): number[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/u.test(entry))
    .map(Number)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(name);
      } catch {
        return false; // it is gone
      }
    });
}

export const lifeAttacks: Attacks = {
  async 'ends-all'({ open }) {
    const box = await open();
    const name = only('ends-all-daemon');
    await box.sh(`cp implements ${name} && ./${name} daemon; setsid ./${name} daemon`);
    expect(survivors(name).length).toBeGreaterThan(0);
    await box.end();
    await expect.poll(() => survivors(name)).toEqual([]);
  },

  async 'kill-tree'({ open }) {
    const box = await open();
    const [name, other] = [only('kill-tree-daemon'), only('kill-tree-other')];
    await box.sh(`cp implements ${name}; cp implements ${other}; ./${other} serve 4567`);
    const daemon = `setsid sh -c 'echo it has left; exec ./${name} pause'`;
    const ran = await box.sh(`(setsid ./${name} forks 3 &); ${daemon} & sleep 4243`, { killAt: 'it has left\n' });
    expect(ran.code).not.toBe(0);
    await expect.poll(() => survivors(name)).toEqual([]);
    expect(survivors(other).length).toBe(1);
  },

  async 'gateway-killed'({ contender, programs }) {
    const mark = only('killed');
    const before = await contender.left();
    const gateway = await contender.gateway(
      `cp implements ${mark}; ./${mark} daemon; setsid ./${mark} daemon; ./${mark} serve 4711`,
      programs,
    );
    try {
      expect(gateway.said.code).toBe(0);
      expect(survivors(`./${mark}\0`)).toHaveLength(3);
      gateway.process.kill('SIGKILL');
      await expect.poll(() => survivors(`./${mark}\0`)).toEqual([]);
      await expect.poll(() => contender.left()).toEqual(before);
    } finally {
      await gateway.end();
    }
  },

  async 'background-server'({ open }) {
    const box = await open();
    expect(await box.sh('./implements serve 8123')).toMatchObject({ code: 0 });
    expect((await box.sh('./implements fetch 127.0.0.1 8123')).out).toBe('hello from inside\n');
  },

  async 'terminal-inside'({ box }) {
    const { out } = await box.sh(
      'tty; stty size; [ -t 1 ] && echo terminal; set -m; sleep 0 & wait; fg 2>&1 | head -1',
      { pty: true },
    );
    expect(out.replaceAll('\r', '')).toMatch(/^\/dev\/pts\/\d+\n30 100\nterminal\n/u);
    for (let i = 0; i < 10; i++) {
      const { bytes } = await box.sh("stty -opost; head -c 60000 /dev/zero | tr '\\0' x", { pty: true });
      expect(bytes).toBe(60_000);
    }
  },
};
