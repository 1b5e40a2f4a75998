/** Docker and Podman, if they have sockets. */
import { existsSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { type Check, type Finding, ok, skip, warn } from '../check.ts';

const TIMEOUT_MS = 3_000;

export const containers: Check = {
  id: 'containers',
  async run({ env }) {
    const sockets = socketsFor(env).filter((path) => existsSync(path));
    if (sockets.length === 0) return skip('no socket of Docker or Podman found');
    return (await Promise.all(sockets.map(pingSocket))).flat();
  },
};

function socketsFor(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const host = env['DOCKER_HOST'];
  const runtime = env['XDG_RUNTIME_DIR'];
  const named = host?.startsWith('unix://') === true ? [host.slice('unix://'.length)] : [];
  const own = runtime ? [join(runtime, 'docker.sock'), join(runtime, 'podman', 'podman.sock')] : [];
  return [...new Set([...named, ...own, '/var/run/docker.sock', '/run/podman/podman.sock'])];
}

function pingSocket(socketPath: string): Promise<readonly Finding[]> {
  return new Promise((resolve) => {
    const asked = request({ socketPath, path: '/_ping', timeout: TIMEOUT_MS }, (response) => {
      response.resume();
      resolve(
        response.statusCode === 200
          ? ok(`${socketPath} answers`)
          : warn(`${socketPath} answers with status ${response.statusCode}`, 'see docker info'),
      );
    });
    asked.on('timeout', () => asked.destroy(new Error(`no answer within ${TIMEOUT_MS / 1_000} seconds`)));
    asked.on('error', (error: NodeJS.ErrnoException) => {
      const fix =
        error.code === 'EACCES'
          ? 'join the group of the socket, or use a rootless engine'
          : 'start the service, or remove the socket';
      resolve(warn(`${socketPath} cannot be used: ${error.message}`, fix));
    });
    asked.end();
  });
}
