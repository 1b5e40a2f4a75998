/** A backend from what can be told to another process. */
import type { Backend } from '../../../src/hosts/sandbox/backend.ts';
import { createBubblewrap } from '../../../src/hosts/sandbox/bubblewrap.ts';
import { createContainers } from '../../../src/hosts/sandbox/container/backend.ts';
import type { ContainerAgent } from '../../../src/hosts/sandbox/container/options.ts';
import { provisions } from '../../../src/hosts/sandbox/provisions.ts';
import type { BackendName } from '../../../src/wire/sandbox.ts';

export interface Setup {
  readonly backend: Exclude<BackendName, 'off'>;
  /** The agent as it is built. */
  readonly runner: string;
  readonly hidden: readonly string[];
  readonly scratch: string;
  /** Where an engine answers, and its image. */
  readonly socket?: string;
  readonly image?: string;
}

export function makeBackend({ backend, runner, hidden, scratch, socket, image }: Setup): Backend {
  if (backend === 'bubblewrap') return createBubblewrap({ provisions: () => provisions({ runner }), hidden, scratch });
  return createContainers({
    engine: backend,
    places: { socket },
    agent: () => containerAgent(runner),
    hidden,
    home: `${scratch}/home`,
    scratch,
    ...(image === undefined ? {} : { image }),
  });
}

/** The agent with its channel on standard input and output. */
export function containerAgent(runner: string): ContainerAgent {
  const { binds, command } = provisions({ runner });
  return { binds, command: [...command, '--stdio'] };
}
