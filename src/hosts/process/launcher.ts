/** Starts commands through the spawner and gives out the hand on each of them. */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '../../base/fault.ts';
import { findCgroupRoot, sweepCgroups } from './cgroup.ts';
import type { Launch, Launched, Launcher, Listener } from './launch.ts';
import { openLanding } from './landing.ts';
import { groupPrefix, ownerOf } from './mark.ts';
import type { Order, Report } from './protocol.ts';
import { createRunning, type Running } from './running.ts';
import { startSpawner, type Spawner } from './spawner.ts';

export interface LauncherOptions {
  /** A folder of our own, closed to others, with a short path: sockets stand in it. Made when it is missing. */
  readonly runtimeDir: string;
  /** The runner's script, as it is built; without it programs are started from this process. */
  readonly runner?: string;
  /** Starts programs in this process: without a script, and after a spawner has died twice in a minute. */
  readonly startWithin: (hello: Order, report: (report: Report) => void) => Spawner;
  /** Names the processes: launchers with different folders never end each other's. Default: the runtime folder. */
  readonly ownerFolder?: string;
  /** Between TERM and KILL (default: 3,000 ms). */
  readonly graceMs?: number;
}

/** A spawner that dies is replaced once in this time. */
const RESTART_MS = 60_000;

/** How long the news of the end of what was killed may take. */
const LAST_NEWS_MS = 1000;

/**
 * The spawner is started at once, while this process is small. Output may be heard before `launch` resolves; `exited`
 * comes after it. A launch that fails resolves, too, with the number 0, and `exited` tells why.
 */
export function createLauncher({
  runtimeDir,
  ownerFolder = runtimeDir,
  runner: script,
  startWithin,
  graceMs = 3000,
}: LauncherOptions): Launcher {
  const token = randomBytes(16).toString('hex');
  const owner = ownerOf(ownerFolder);
  const sessions = new Map<number, Running>();
  const hunts = new Set<Promise<void>>();
  const landing = openLanding(runtimeDir, token, ({ id, name, socket }) => sessions.get(id)?.receive(name, socket));
  landing.listening.catch(() => {}); // each launch hears of it
  const hello: Order = { type: 'hello', socket: landing.path, token, owner, graceMs };
  let nextId = 1;
  let warning: string | undefined;
  let lastStart = Number.NEGATIVE_INFINITY;
  let closed = false;
  let spawner: Spawner;

  const hear = (report: Report) => {
    if (report.type === 'ready') return;
    const running = sessions.get(report.id);
    if (report.type === 'started') running?.started(report);
    else running?.ended(report.exit);
  };
  const start = (because?: string): Spawner => {
    const now = performance.now();
    if (script === undefined) return startWithin(hello, hear);
    if (because !== undefined && now - lastStart < RESTART_MS) {
      warning = `the spawner could not be kept running (${because}): commands are started by the program itself`;
      return startWithin(hello, hear);
    }
    if (because !== undefined) lastStart = now;
    return startSpawner(script, hello, { report: hear, died: replace });
  };
  const replace = (reason: string) => {
    const orphans = [...sessions.values()].filter(({ hasEnded }) => !hasEnded);
    if (!closed) {
      spawner = start(reason);
      spawner.hold(sessions.size > 0);
    }
    for (const running of orphans) {
      running.kill().then(
        () => running.ended({ kind: 'lost' }),
        () => running.ended({ kind: 'lost' }), // what could not be ended is not heard of any more either
      );
    }
  };
  spawner = start();

  return {
    async launch(launch: Launch, listener: Listener): Promise<Launched> {
      if (closed) throw new Fault('EXEC_CLOSED', 'no command can be started any more: the program is ending');
      await landing.listening;
      const id = nextId++;
      const running = createRunning({
        launch,
        listener,
        owner,
        graceMs,
        warnings: warning === undefined ? [] : [warning],
        hunts,
        resize: (size) => spawner.send({ type: 'resize', id, size }),
        gone: () => {
          sessions.delete(id);
          if (sessions.size === 0) spawner.hold(false);
        },
      });
      sessions.set(id, running);
      spawner.hold(true);
      spawner.send({ type: 'launch', id, launch });
      return running.launched;
    },
    async close() {
      if (closed) return;
      closed = true;
      const last = [...sessions.values()];
      await Promise.allSettled([...last.map((running) => running.kill()), ...hunts]);
      await Promise.race([Promise.all(last.map(({ told }) => told)), sleep(LAST_NEWS_MS, undefined, { ref: false })]);
      await spawner.close();
      for (const running of last) running.ended({ kind: 'lost' }); // nobody is left who could tell more
      landing.close();
      const groups = findCgroupRoot();
      if (groups !== undefined) sweepCgroups(groups, groupPrefix(owner));
    },
  };
}
