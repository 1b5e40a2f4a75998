/** Starts the commands of this machine through a runner. */
import { randomBytes } from 'node:crypto';
import { Fault } from '../../base/fault.ts';
import type { RunReport } from './runner-messages.ts';
import { findCgroupRoot, removeCgroup, sweepCgroups } from './cgroup.ts';
import { allDelivered, Command, startFailed } from './command.ts';
import { interruptGroups, killTree } from './kill.ts';
import type { Exit, Launch, Launched, Launcher, Listener } from './launch.ts';
import { groupPrefix, markLines, ownerOf } from './mark.ts';
import { type LocalWelcome, type Runner, startRunner, type StartWithin } from './runner-process.ts';
import { openStreamServer } from './streams/stream-server.ts';
import { StreamSockets } from './streams/stream-sockets.ts';

export interface LauncherOptions {
  /** A private folder with a short path, for sockets. Created when it is missing. */
  readonly runtimeDir: string;
  /** The runner's built script. Default: programs are started from this process. */
  readonly runner?: string;
  /** Starts programs from this process: without a script, and after a runner has died twice in a minute. */
  readonly startWithin: StartWithin;
  /** Marks the processes: launchers with different folders never end each other's. Default: the runtime folder. */
  readonly ownerFolder?: string;
  /** Between TERM and KILL (default: 3,000 ms). */
  readonly graceMs?: number;
}

/** A runner that dies is replaced at most once in this time. */
const RESTART_MS = 60_000;

type Started = Extract<RunReport, { type: 'started' }>;

interface Session {
  readonly command: Command;
  readonly streams: StreamSockets;
  readonly kill: (graceMs?: number) => Promise<void>;
  started?: Started;
}

/**
 * Starts the runner immediately, while this process is small. Output may be delivered before `launch` resolves, and `exited` after
 * that. A launch that fails resolves with pid 0, and `exited` has the reason.
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
  const sessions = new Map<number, Session>();
  const kills = new Set<Promise<void>>();
  const server = openStreamServer(runtimeDir, token, ({ id, name, socket }) =>
    sessions.get(id)?.streams.receive(name, socket),
  );
  server.listening.catch(() => {}); // each launch rejects with it
  const welcome: LocalWelcome = { owner, graceMs, streams: { socket: server.path, token } };
  let nextId = 1;
  let warning: string | undefined;
  let lastStart = Number.NEGATIVE_INFINITY;
  let closed = false;
  let runner: Runner;

  const start = (because?: string): Runner => {
    const now = performance.now();
    if (script === undefined) return startWithin(welcome);
    if (because !== undefined && now - lastStart < RESTART_MS) {
      warning = `the runner keeps exiting (${because}); the daemon starts commands itself`;
      return startWithin(welcome);
    }
    if (because !== undefined) lastStart = now;
    const command = [process.execPath, '--max-semi-space-size=1', script] as const;
    const { channel, gone, hold, close } = startRunner(command, '--spawn', welcome);
    hold(sessions.size > 0);
    void gone.then(replace);
    return {
      hold,
      close,
      start: (id, launch, report) =>
        channel.call('run.start', { id, launch }, { event: (event) => report(event as RunReport) }) as Promise<Exit>,
      resize: (id, size) => {
        channel.call('run.resize', { id, size }).catch(() => {}); // the command ends with the runner
      },
    };
  };
  const replace = (reason: string) => {
    if (closed) return;
    const orphans = [...sessions.values()].filter(({ command }) => !command.hasEnded);
    runner = start(reason);
    for (const { command, kill } of orphans) {
      const lose = () => {
        if (!command.hasEnded) command.lose();
      };
      kill().then(lose, lose); // also when a process could not be killed
    }
  };
  runner = start();

  const makeSession = (id: number, launch: Launch, listener: Listener): Session => {
    const removeGroup = () => {
      if (session.started?.cgroup !== undefined) removeCgroup(session.started.cgroup);
    };
    const kill = async (grace = graceMs): Promise<void> => {
      const { processes: roots = [], cgroup } = session.started ?? {};
      const mark = markLines(owner, launch.session);
      const killing = killTree({ roots, mark, ...(cgroup === undefined ? {} : { cgroup }) }, grace);
      kills.add(killing);
      await killing.finally(() => kills.delete(killing));
      removeGroup();
    };
    const streams = new StreamSockets({
      launch,
      listener,
      arrived: () => command.arrived(),
      ended: () => command.streamEnded(),
    });
    const command: Command = new Command({
      streams,
      warnings: warning === undefined ? [] : [warning],
      listener: {
        exited(exit) {
          listener.exited(exit);
          removeGroup();
        },
      },
      kill,
      resize: (size) => runner.resize(id, size),
      interrupt: () => interruptGroups(session.started?.processes ?? []),
      gone: () => {
        sessions.delete(id);
        if (sessions.size === 0) runner.hold(false);
      },
    });
    const session: Session = { command, streams, kill };
    return session;
  };

  const begin = (id: number, launch: Launch, session: Session): void => {
    const { command } = session;
    const report = (event: RunReport) => {
      if (event.type !== 'started') return;
      session.started = event;
      command.started(event.pid, event.pty, event.warnings);
    };
    runner.start(id, launch, report).then(
      (exit) => (exit.kind === 'lost' ? command.lose() : command.ended(exit)),
      (error: unknown) => {
        if (error instanceof Fault) command.ended(startFailed(launch, error)); // otherwise the runner is gone: `replace` ends it
      },
    );
  };

  return {
    async launch(launch: Launch, listener: Listener): Promise<Launched> {
      if (closed) throw new Fault('EXEC_CLOSED', 'no more commands can be started: the program is ending');
      await server.listening;
      const id = nextId++;
      const session = makeSession(id, launch, listener);
      sessions.set(id, session);
      runner.hold(true);
      begin(id, launch, session);
      return session.command.launched;
    },
    async close() {
      if (closed) return;
      closed = true;
      const last = [...sessions.values()];
      await Promise.allSettled([...last.map(({ kill }) => kill()), ...kills]);
      await allDelivered(last.map(({ command }) => command));
      await runner.close();
      for (const { command } of last) if (!command.hasEnded) command.lose(); // no process is left that could report its exit
      server.close();
      const groups = findCgroupRoot();
      if (groups !== undefined) sweepCgroups(groups, groupPrefix(owner));
    },
  };
}
