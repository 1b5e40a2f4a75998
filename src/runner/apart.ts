/**
 * Terminals in processes of their own. The terminal library leaves its side of a terminal open in every program that is
 * started later by the same process, where it could be read and written; so no process has more than one terminal.
 */
import type { Launch } from '../hosts/process/launch.ts';
import { killTree } from '../hosts/process/kill.ts';
import { markLines } from '../hosts/process/mark.ts';
import type { Order, Report } from '../hosts/process/protocol.ts';
import type { Spawner, SpawnerEvents } from '../hosts/process/spawner.ts';

type Hello = Extract<Order, { type: 'hello' }>;

/** Whoever has the terminals. */
export interface Apart {
  launch(id: number, launch: Launch): void;
  resize(order: Extract<Order, { type: 'resize' }>): void;
  end(): Promise<void>;
}

interface Host {
  readonly spawner: Spawner;
  /** Whom it works for; undefined while it is spare. */
  job: { readonly id: number; readonly launch: Launch } | undefined;
}

/** Starts a process for each terminal, and one in advance as soon as the first was asked for. */
export function createApart(
  startProcess: (events: SpawnerEvents) => Spawner,
  hello: Hello,
  report: (report: Report) => void,
): Apart {
  const hosts = new Set<Host>();
  let spare: Host | undefined;
  let ending = false;

  const startHost = (): Host => {
    const leave = () => {
      hosts.delete(host);
      if (spare === host) spare = undefined;
    };
    const spawner = startProcess({
      report(news) {
        if (news.type === 'ready') return;
        report(news);
        if (news.type !== 'ended') return;
        leave();
        void spawner.close();
      },
      died() {
        leave();
        if (host.job === undefined) return;
        const { id, launch } = host.job;
        const lost = () => report({ type: 'ended', id, exit: { kind: 'lost' } });
        killTree({ roots: [], mark: markLines(hello.owner, launch.session) }, hello.graceMs).then(lost, lost);
      },
    });
    const host: Host = { spawner, job: undefined };
    hosts.add(host);
    return host;
  };

  return {
    launch(id, launch) {
      const host = spare ?? startHost();
      host.job = { id, launch };
      host.spawner.send({ type: 'launch', id, launch });
      spare = ending ? undefined : startHost();
    },
    resize(order) {
      for (const { job, spawner } of hosts) if (job?.id === order.id) spawner.send(order);
    },
    async end() {
      ending = true;
      await Promise.all([...hosts].map(({ spawner }) => spawner.close()));
    },
  };
}
