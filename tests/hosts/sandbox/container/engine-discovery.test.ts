import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createEngineDiscovery } from '../../../../src/hosts/sandbox/container/engine-discovery.ts';
import { makeFolder } from '../../../support/folder.ts';

/** Answers as an engine does that is asked who it is, and keeps what it was asked. */
async function engine(socket: string, asked: string[], rootless: boolean): Promise<() => Promise<void>> {
  const answers: Readonly<Record<string, unknown>> = {
    '/version': { Version: '9', ApiVersion: '1.41', MinAPIVersion: '1.12', Components: [{ Name: 'Engine' }] },
    '/v1.41/info': { SecurityOptions: rootless ? ['name=rootless'] : [] },
    '/v1.41/containers/json': [],
  };
  const server: Server = createServer((request, response) => {
    const path = new URL(request.url ?? '', 'http://engine').pathname;
    asked.push(`${request.method} ${path}`);
    response.end(path in answers ? JSON.stringify(answers[path]) : '');
  });
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  const stop = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  onTestFinished(stop);
  return stop;
}

describe('meeting an engine', () => {
  it('identifies the engine and sweeps once, even for concurrent callers', async () => {
    const socket = join(makeFolder(), 'e.sock');
    const asked: string[] = [];
    await engine(socket, asked, false);
    const meet = createEngineDiscovery('docker', { socket });
    const [first] = await Promise.all([meet(), meet(), meet()]);
    expect(asked).toEqual(['GET /version', 'GET /v1.41/info', 'GET /v1.41/containers/json']);
    expect(await meet()).toBe(first);
    expect(asked.slice(3)).toEqual(['HEAD /v1.41/_ping']);
  });

  it('asks again when another engine has taken its place', async () => {
    const socket = join(makeFolder(), 'e.sock');
    const stop = await engine(socket, [], false);
    const meet = createEngineDiscovery('docker', { socket });
    expect((await meet()).facts.rootless).toBe(false);
    await stop();
    await engine(socket, [], true);
    expect((await meet()).facts.rootless).toBe(true);
  });

  it('reports that the engine has ended, and finds it again when it is back', async () => {
    const socket = join(makeFolder(), 'e.sock');
    const stop = await engine(socket, [], false);
    const meet = createEngineDiscovery('docker', { socket });
    await meet();
    await stop();
    await expect(meet()).rejects.toMatchObject({ code: 'SANDBOX_UNAVAILABLE' });
    await engine(socket, [], false);
    expect(await meet()).toMatchObject({ name: 'docker', version: '9' });
  });
});
