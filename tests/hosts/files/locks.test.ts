import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { lockWait, sweepLocks } from '../../../src/hosts/files/locks/lock-file.ts';
import { takeLocks } from '../../../src/hosts/files/locks/locks.ts';
import { watchingCalls } from '../../support/failing-fs.ts';
import { faultOf } from '../../support/fault.ts';
import { makeFolder } from '../../support/folder.ts';

/** Writes the lock of `path` again with another holder, as a process would have left it. */
function plantHolder(stateDir: string, path: string, holder: string): void {
  const held = takeLocks([path], { stateDir });
  const [name] = readdirSync(join(stateDir, 'locks'));
  held.release();
  writeFileSync(join(stateDir, 'locks', name!), holder);
}

/** As this very process writes itself down. */
function ownTicket(stateDir: string): { pid: number; start: string; nonce: string; subject: string } {
  const held = takeLocks(['/somewhere'], { stateDir });
  const [name] = readdirSync(join(stateDir, 'locks'));
  const text = readFileSync(join(stateDir, 'locks', name!), 'utf8');
  held.release();
  return JSON.parse(text) as ReturnType<typeof ownTicket>;
}

describe('locks', () => {
  it('are files while they are taken, and nest', () => {
    const stateDir = makeFolder();
    const list = (): number => readdirSync(join(stateDir, 'locks')).length;
    const outer = takeLocks(['/b', '/a', '/b'], { stateDir });
    const inner = takeLocks(['/a', '/c'], { stateDir });
    const counts = [list()];
    inner.release();
    counts.push(list());
    outer.release();
    counts.push(list());
    expect(counts).toEqual([3, 2, 0]);
  });

  it('name the live holder on timeout, and release what they had taken', () => {
    const stateDir = makeFolder();
    plantHolder(stateDir, '/b', JSON.stringify({ ...ownTicket(stateDir), nonce: 'other' }));
    const started = Date.now();
    expect(faultOf(() => takeLocks(['/a', '/b', '/c'], { stateDir, lockWaitMs: 60 }))).toEqual({
      code: 'FS_LOCKED',
      message: `/b is being written by process ${process.pid}`,
      hint: `wait until process ${process.pid} has ended, or end it, and run the command again`,
    });
    expect(Date.now() - started).toBeGreaterThanOrEqual(60);
    expect(readdirSync(join(stateDir, 'locks'))).toHaveLength(1);
  });

  describe('of a queue', () => {
    const WAIT_MS = 60;
    const others = (own: object, turn: number) => JSON.stringify({ ...own, nonce: `other-${turn}` });
    const same = (own: object) => JSON.stringify({ ...own, nonce: 'other' });

    /** Takes a lock that changes hands `turns` times and is free afterwards. At each look it is 40 ms later. */
    function takeAfter(turns: number, holder: (own: object, turn: number) => string, longestMs = Infinity): void {
      const stateDir = makeFolder();
      const own = ownTicket(stateDir);
      plantHolder(stateDir, '/file', holder(own, 0));
      const path = join(stateDir, 'locks', readdirSync(join(stateDir, 'locks'))[0]!);
      vi.useFakeTimers({ toFake: ['Date'] });
      onTestFinished(() => void vi.useRealTimers());
      const end = Date.now() + longestMs;
      let turn = 0;
      const changeHands = (name: string): void => {
        if (name !== 'linkSync') return;
        vi.setSystemTime(Date.now() + 40);
        if (++turn < turns) writeFileSync(path, holder(own, turn));
        else if (turn === turns) rmSync(path);
      };
      const options = { stateDir, lockWaitMs: WAIT_MS, lockDeadline: () => end };
      watchingCalls(changeHands, () => takeLocks(['/file'], options)).release();
    }

    it('are waited for while other processes take them, longer than for one holder', () => {
      takeAfter(10, others);
    });

    it('are waited for while the same process takes them repeatedly', () => {
      takeAfter(10, same);
    });

    it('time out after ten times as long', () => {
      expect(faultOf(() => takeAfter(20, others)).code).toBe('FS_LOCKED');
    });

    it('M13: time out at the deadline of the caller, with a note that the queue moved', () => {
      expect(() => takeAfter(10, others, 200)).toThrow(
        expect.objectContaining({ code: 'FS_LOCKED', details: expect.objectContaining({ queueMoved: true }) }),
      );
    });
  });

  it.each([
    ['is gone', (own: object) => JSON.stringify({ ...own, pid: 4_194_303, nonce: 'x1' })],
    [
      'had the number of another process now',
      (own: object) => JSON.stringify({ ...own, start: 'other-1', nonce: 'x2' }),
    ],
    ['lost its content in a crash of the machine', () => ''],
    ['has a name that is none', (own: object) => JSON.stringify({ ...own, nonce: '../../x' })],
  ])('are broken when the holder %s', (_what, holder) => {
    const stateDir = makeFolder();
    plantHolder(stateDir, '/file', holder(ownTicket(stateDir)));
    const held = takeLocks(['/file'], { stateDir, lockWaitMs: 1000 });
    expect(held.broke).toBe(true);
    held.release();
    expect(readdirSync(join(stateDir, 'locks'))).toEqual([]);
  });

  it('are broken even if the breaking process died too', () => {
    const stateDir = makeFolder();
    const own = ownTicket(stateDir);
    plantHolder(stateDir, '/file', JSON.stringify({ ...own, pid: 4_194_303, nonce: 'first' }));
    const breaker = JSON.stringify({ ...own, pid: 4_194_302, nonce: 'second' });
    writeFileSync(join(stateDir, 'locks', 'break-first.lock'), breaker);
    takeLocks(['/file'], { stateDir, lockWaitMs: 1000 }).release();
    expect(readdirSync(join(stateDir, 'locks'))).toEqual([]);
  });

  it('that another process broke and took at the same time stay', () => {
    const stateDir = makeFolder();
    const own = ownTicket(stateDir);
    plantHolder(stateDir, '/file', JSON.stringify({ ...own, pid: 4_194_303, nonce: 'dead' }));
    const path = join(stateDir, 'locks', readdirSync(join(stateDir, 'locks'))[0]!);
    const living = JSON.stringify({ ...own, nonce: 'living' });
    // The second link is the one that gives the right to break; until then the dead holder was seen.
    let links = 0;
    const takeItFirst = (name: string): void => {
      if (name === 'linkSync' && ++links === 2) writeFileSync(path, living);
    };
    const taking = (): unknown => watchingCalls(takeItFirst, () => takeLocks(['/file'], { stateDir, lockWaitMs: 30 }));
    expect(faultOf(taking).code).toBe('FS_LOCKED');
    expect(readFileSync(path, 'utf8')).toBe(living);
  });

  it('of dead processes are removed with their tickets, and those of live ones stay', () => {
    const stateDir = makeFolder();
    const folder = join(stateDir, 'locks');
    const tickets = join(stateDir, 'tickets');
    const own = ownTicket(stateDir);
    const plant = (name: string, pid: number): void =>
      writeFileSync(join(folder, name), JSON.stringify({ ...own, pid, nonce: name.replace(/\W/gu, '') }));
    plant('dead.lock', 4_194_303);
    plant('break-dead.lock', 4_194_303);
    plant('living.lock', process.pid);
    plant('../tickets/4194303.abc.ticket', 4_194_303);
    plant(`../tickets/${process.pid}.abc.ticket`, process.pid);
    sweepLocks(folder, tickets, [...readdirSync(folder), ...readdirSync(tickets)], lockWait(1000));
    expect(readdirSync(folder)).toEqual(['living.lock']);
    expect(readdirSync(tickets)).toEqual(expect.arrayContaining([`${process.pid}.abc.ticket`]));
    expect(readdirSync(tickets)).not.toContain('4194303.abc.ticket');
  });

  it('need a state folder that can be created', () => {
    const folder = makeFolder({ file: '' });
    expect(faultOf(() => takeLocks(['/x'], { stateDir: join(folder, 'file') })).code).toBe('FS_STATE_UNUSABLE');
  });
});
