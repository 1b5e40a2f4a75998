/** A backend that is attacked, as it is set up on this machine. */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Backend } from '../../../src/hosts/sandbox/backend.ts';
import { planLimits } from '../../../src/hosts/sandbox/limits.ts';
import type { SandboxLimits } from '../../../src/wire/sandbox.ts';
import { builtScript } from '../../support/built.ts';
import { withoutPrivilege } from '../../support/privilege.ts';
import { hostFolder } from './box.ts';
import { gatewayProcess, type GatewayProcess } from './gateway.ts';
import { makeBackend, type Setup } from './setup.ts';

export interface Contender {
  readonly backend: Backend;
  /** A folder of ours that no sandbox sees; it stands three folders below `home`, which may be a workspace. */
  readonly hidden: string;
  readonly home: string;
  /** Limits that this technology cannot hold everywhere, and what asks for one of them where it cannot. */
  readonly unenforceable: {
    readonly limits: readonly Partial<SandboxLimits>[];
    ask(limits: SandboxLimits): Promise<unknown>;
  };
  /** A gateway of its own that has run a command in a sandbox of this technology, where these programs lie. */
  gateway(command: string, programs: string): Promise<GatewayProcess>;
  /** What the technology itself still keeps of sandboxes of ours. */
  left(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** Folders of ours: one that is hidden, in one that may be a workspace. */
export function contenderFolders(): { readonly home: string; readonly hidden: string; readonly scratch: string } {
  const home = hostFolder('home');
  const hidden = join(home, '.local', 'state', 'pincer');
  mkdirSync(hidden, { recursive: true });
  return { home, hidden, scratch: hostFolder('scratch') };
}

/** Bubblewrap, with the agent as it is built. */
export async function bubblewrapContender(): Promise<Contender> {
  const { home, hidden, scratch } = contenderFolders();
  const setup: Setup = { backend: 'bubblewrap', runner: builtScript('runner'), hidden: [hidden], scratch };
  return {
    backend: makeBackend(setup),
    home,
    hidden,
    unenforceable: {
      limits: [{ memoryBytes: 1e8 }, { cpus: 1 }, { pids: 10 }, { fileBytes: 10 }],
      // A user without rights on a machine without the programs that could help.
      ask: async (limits) =>
        withoutPrivilege(() =>
          planLimits({ id: 'escape', limits, isRoot: false, programs: { prlimit: undefined, systemdRun: undefined } }),
        ),
    },
    gateway: (command, programs) => gatewayProcess(setup, { command, programs }),
    left: async () => [], // there is nobody but the kernel, and processes are looked for
    async close() {
      for (const folder of [home, scratch]) rmSync(folder, { recursive: true, force: true });
    },
  };
}
