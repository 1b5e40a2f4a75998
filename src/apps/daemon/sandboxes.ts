/** The sandbox backends of the daemon, each loaded at first use. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { userConfigFolder } from '../../config/config-files.ts';
import { homeFolder } from '../../config/state.ts';
import type { SandboxTechnology } from '../../hosts/gateway/sandbox-host.ts';
import type { Backend } from '../../hosts/sandbox/backend.ts';
import type { SandboxSettings } from '../../wire/sandbox.ts';
import { once } from '../once.ts';
import type { OpenOptions } from './daemon.ts';

/** `runner` is the script that runs inside the sandboxes. */
export function sandboxTechnology(
  runner: string,
  { stateDir, runtimeDir }: Pick<OpenOptions, 'stateDir' | 'runtimeDir'>,
): SandboxTechnology {
  const scratch = join(stateDir, 'sandboxes');
  const hidden = [stateDir, runtimeDir, userConfigFolder()];
  const copies = join(scratch, 'provisions');
  const provided = once(async () => {
    const [{ provisions }, { copyProvisions, sweepCopies }] = await Promise.all([
      import('../../hosts/sandbox/provisions.ts'),
      import('../../hosts/sandbox/provisions/private-copy.ts'),
    ]);
    const found = provisions({ runner });
    sweepCopies(copies);
    return copyProvisions(found, copies);
  });

  async function bubblewrap(): Promise<Backend> {
    const { createBubblewrap } = await import('../../hosts/sandbox/bubblewrap.ts');
    return createBubblewrap({ provisions: provided, hidden, home: homeFolder(), scratch });
  }

  async function containers(engine: 'docker' | 'podman', container: SandboxSettings['container']) {
    const { socket, image, runtime, user } = container;
    const { createContainers } = await import('../../hosts/sandbox/container/backend.ts');
    const { DOCKER_HOST: dockerHost, CONTAINER_HOST: containerHost, XDG_RUNTIME_DIR: ownRuntimeDir } = process.env;
    return createContainers({
      engine,
      places: { socket, dockerHost, containerHost, runtimeDir: ownRuntimeDir },
      agent: async () => {
        const { binds, command, originals } = await provided();
        return { binds, originals, command: [...command, '--stdio'] };
      },
      hidden,
      home: homeFolder(),
      scratch,
      ...(image === undefined ? {} : { image }),
      ...(runtime === undefined ? {} : { runtime }),
      ...(user === undefined ? {} : { user }),
    });
  }

  return {
    connect: async (channel, options) =>
      (await import('../../hosts/sandbox/link/link.ts')).connectInside(channel, options),
    backendFor: async ({ backend, container }) => {
      mkdirSync(scratch, { recursive: true, mode: 0o700 });
      return backend === 'bubblewrap' ? bubblewrap() : containers(backend, container);
    },
  };
}
