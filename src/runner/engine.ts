/** Starts programs on order and reports what becomes of them; in a process of its own, or in the launcher's. */
import { dirname } from 'node:path';
import { messageOf } from '../base/message-of.ts';
import type { Exit, Launch } from '../hosts/process/launch.ts';
import type { Order, Report } from '../hosts/process/protocol.ts';
import { killTree } from '../hosts/process/kill.ts';
import { markLines, markOf } from '../hosts/process/mark.ts';
import { startSpawner } from '../hosts/process/spawner.ts';
import { processAt, type ProcessId } from '../hosts/process/processes.ts';
import { createApart, type Apart } from './apart.ts';
import { connectStreams, type Address, type Streams } from './connect.ts';
import { createPipes, type Pipes } from './pipes.ts';
import { createGroups, type Groups } from './groups.ts';
import { startStages } from './stages.ts';
import { startTerminal, type Terminal } from './terminal.ts';
import { refusalOf } from './refusal.ts';
import { whyNotRunnable } from './runnable.ts';

/** The hand on what starts programs. */
export interface Engine {
  obey(order: Order): void;
  /** Ends all that was started and still runs. */
  end(): Promise<void>;
}

interface Entry {
  readonly session: string;
  readonly processes: readonly ProcessId[];
  readonly cgroup: string | undefined;
  readonly terminal: Terminal | undefined;
}

type Hello = Extract<Order, { type: 'hello' }>;

/**
 * Reports come in the order of what happens: `started` before `ended`, and `ended` alone when nothing was started.
 * With a script, which runs such an engine, each terminal gets a process of its own.
 */
export function createEngine(report: (report: Report) => void, script?: string): Engine {
  const running = new Map<number, Entry>();
  let hello: Hello | undefined;
  let pipes: Pipes | undefined;
  let apart: Apart | undefined;
  let groups: Groups | undefined;
  const starting = new Set<Promise<void>>();
  let ending = false;

  const launch = async (id: number, asked: Launch, { socket, token, owner }: Hello, pipes: Pipes) => {
    const fail = (reason: 'spawn-failed' | 'changed', message: string) =>
      report({ type: 'ended', id, exit: { kind: 'failed', reason, message } });
    const refused = refusalOf(asked) ?? whyNotRunnable(asked);
    if (refused !== undefined) return fail('spawn-failed', refused);
    const order: Launch = { ...asked, env: { ...asked.env, ...markOf(owner, asked.session) } };
    const address: Address = { socket, token, id };
    const ended = (exit: Exit) => {
      const cgroup = running.get(id)?.cgroup;
      running.delete(id);
      if (cgroup !== undefined) groups?.release(cgroup);
      report({ type: 'ended', id, exit });
    };
    const started = (pids: readonly number[], terminal?: Terminal) => {
      const cgroup = groups?.folderFor(order.session);
      if (cgroup !== undefined) groups?.fill(cgroup, pids);
      const processes = pids.map((pid) => ({ pid, startTime: processAt(pid)?.startTime ?? '' }));
      running.set(id, { session: order.session, processes, cgroup, terminal });
      const group = cgroup === undefined ? {} : { cgroup };
      report({ type: 'started', id, processes, ...group, pty: terminal !== undefined, warnings });
    };

    const warnings: string[] = [];
    let streams: Streams | undefined;
    if (order.pty !== undefined) {
      const outcome = await startTerminal(order, order.pty, address, { started, ended });
      if (outcome.kind === 'started') return;
      if (outcome.kind === 'changed') return fail('changed', outcome.message);
      streams = outcome.streams;
      warnings.push(`no PTY could be had (${outcome.message}): the command runs with pipes`);
    }
    const { pty: _, ...rest } = order;
    const piped: Launch = order.pty === undefined ? order : { ...rest, stdin: 'open', streams: 'merged' };
    streams ??= await connectStreams(address, piped);
    if (streams === undefined || ending) return fail('spawn-failed', 'no stream to the launcher could be opened');
    const failure = await startStages(piped, streams, pipes, { started, ended });
    if (failure !== undefined) fail(failure.reason, failure.message);
  };

  return {
    obey(order) {
      if (order.type === 'hello') {
        hello = order;
        if (script !== undefined) groups = createGroups(order.owner, order.single !== true);
        if (script !== undefined && order.single !== true)
          apart = createApart((events) => startSpawner(script, { ...order, single: true }, events), order, report);
        pipes = createPipes(dirname(order.socket));
        report({ type: 'ready' });
      } else if (order.type === 'resize') {
        running.get(order.id)?.terminal?.resize(order.size);
        apart?.resize(order);
      } else if (apart !== undefined && order.launch.pty !== undefined && refusalOf(order.launch) === undefined)
        apart.launch(order.id, order.launch);
      else if (hello !== undefined && pipes !== undefined && !ending) {
        const start = launch(order.id, order.launch, hello, pipes)
          .catch((error: unknown) => {
            const message = messageOf(error);
            report({ type: 'ended', id: order.id, exit: { kind: 'failed', reason: 'spawn-failed', message } });
          })
          .finally(() => starting.delete(start));
        starting.add(start);
      }
    },
    async end() {
      ending = true;
      await Promise.all([...starting, apart?.end()]);
      const owner = hello?.owner ?? '';
      await Promise.all(
        [...running.values()].map(async ({ session, processes, cgroup }) => {
          const tree = {
            roots: processes,
            mark: markLines(owner, session),
            ...(cgroup === undefined ? {} : { cgroup }),
          };
          await killTree(tree, Math.min(hello?.graceMs ?? 0, 1000));
          if (cgroup !== undefined) groups?.release(cgroup);
        }),
      );
    },
  };
}
