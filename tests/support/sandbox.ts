/** Sandboxes for tests: the real bubblewrap, and an agent without anything around it. */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import type { SandboxTechnology } from '../../src/hosts/gateway/sandboxing.ts';
import type { Backend, SandboxSpec } from '../../src/hosts/sandbox/backend.ts';
import { createBubblewrap } from '../../src/hosts/sandbox/bubblewrap.ts';
import { connectInside } from '../../src/hosts/sandbox/link/link.ts';
import { provisions } from '../../src/hosts/sandbox/provisions.ts';
import { builtScript } from './built.ts';
import { makeFolder } from './folder.ts';

/** The real one, with the agent of the sources. */
export async function bubblewrapTechnology(root = makeFolder(), more: Partial<SandboxTechnology> = {}) {
  const runner = builtScript('runner');
  const scratch = join(root, 'scratch');
  mkdirSync(scratch, { recursive: true });
  const backend = createBubblewrap({
    provisions: () => provisions({ runner }),
    hidden: [join(root, 'state')],
    scratch,
  });
  const technology: SandboxTechnology = {
    backendFor: async () => backend,
    connect: connectInside,
    ...more,
  };
  return technology;
}

/** Why the real one cannot be had on this machine; undefined where it can. */
export async function whyNoBubblewrap(): Promise<string | undefined> {
  const scratch = mkdtempSync(join(tmpdir(), 'pincer-probe-'));
  try {
    const probe = await createBubblewrap({ provisions: neverAsked, hidden: [], scratch }).probe();
    if (probe.ok) return undefined;
    console.warn(`NOT TESTED, there is no bubblewrap here: ${probe.message} (${probe.hint})`);
    return probe.message;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** A probe runs no agent. */
function neverAsked(): never {
  throw new Error('a probe asked for the agent');
}

/** What became of the sandboxes of a plain technology. */
export interface PlainTechnology extends SandboxTechnology {
  /** The specifications in the order of their opening. */
  readonly opened: SandboxSpec[];
  /** How many have not ended. */
  alive(): number;
}

/** The agent as a process of this machine: everything that a sandbox does but hold something back. */
export async function plainTechnology(more: Partial<Backend> = {}): Promise<PlainTechnology> {
  const runner = builtScript('runner');
  const folder = makeFolder();
  const opened: SandboxSpec[] = [];
  const specs = new WeakMap<Duplex, SandboxSpec>();
  let alive = 0;
  const backend: Backend = {
    name: 'bubblewrap',
    probe: async () => ({ ok: true, version: '0', promises: [] }),
    open: async (spec) => {
      opened.push(spec);
      const child = spawn(process.execPath, [runner, '--inside'], {
        cwd: '/',
        env: {},
        stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
        detached: true,
      });
      alive++;
      specs.set(child.stdio[3] as Socket, spec);
      const ended = new Promise<string>((resolve) =>
        child.once('exit', (code, signal) => {
          alive--;
          resolve(`it ended with ${signal ?? `code ${code}`}`);
        }),
      );
      return {
        channel: child.stdio[3] as Socket,
        pid: child.pid!,
        ended,
        async end() {
          // It ends what it has started by itself; nothing else would, without a sandbox around it.
          (child.stdio[3] as Socket).destroy();
          const patience = setTimeout(() => child.kill('SIGKILL'), 10_000);
          await ended;
          clearTimeout(patience);
        },
      };
    },
    ...more,
  };
  return {
    opened,
    alive: () => alive,
    backendFor: async () => backend,
    connect: (channel, options) => {
      const { id, workspace } = specs.get(channel)!;
      const own = join(folder, id);
      mkdirSync(own, { recursive: true });
      const places = { workspace, stateDir: join(own, 'state'), scratch: join(own, 'run'), home: own };
      return connectInside(channel, { ...options, places });
    },
  };
}
