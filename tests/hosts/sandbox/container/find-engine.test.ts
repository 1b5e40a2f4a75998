import { createServer, type RequestListener } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { engineAt, EngineError } from '../../../../src/hosts/sandbox/container/engine.ts';
import {
  socketCandidates,
  findEngine,
  identifyEngine,
  negotiateVersion,
} from '../../../../src/hosts/sandbox/container/find-engine.ts';
import { makeFolder } from '../../../support/folder.ts';
import { PATIENCE_MS } from '../../../support/patience.ts';

/** Something that answers on a socket. */
async function answering(listener: RequestListener): Promise<string> {
  const socket = join(makeFolder(), 'e.sock');
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return socket;
}

const version = (name: string, api = '1.41', oldest = '1.12') =>
  JSON.stringify({ Version: '9.9', ApiVersion: api, MinAPIVersion: oldest, Components: [{ Name: name }] });

describe('an engine', () => {
  it.each([
    ['docker', { socket: '/x/y.sock' }, ['/x/y.sock']],
    ['docker', { socket: 'unix:///x/y.sock' }, ['/x/y.sock']],
    ['docker', { socket: undefined, dockerHost: 'unix:///d.sock', containerHost: 'unix:///p.sock' }, ['/d.sock']],
    ['podman', { socket: undefined, dockerHost: 'unix:///d.sock', containerHost: 'unix:///p.sock' }, ['/p.sock']],
    [
      'docker',
      { socket: undefined, runtimeDir: '/run/user/5' },
      ['/var/run/docker.sock', '/run/docker.sock', '/run/user/5/docker.sock'],
    ],
    [
      'podman',
      { socket: undefined, runtimeDir: '/run/user/5' },
      ['/run/user/5/podman/podman.sock', '/run/podman/podman.sock', '/var/run/podman/podman.sock'],
    ],
  ] as const)('%s is looked for, given %j', (name, places, expected) => {
    expect(socketCandidates(name, places)).toEqual(expected);
  });

  it.each(['tcp://10.0.0.1:2375', 'ssh://host', 'relative.sock'])('is never asked at %s', (dockerHost) => {
    expect(() => socketCandidates('docker', { socket: undefined, dockerHost })).toThrow('which is not a Unix socket');
  });

  it('is identified by its response, not by its socket', async () => {
    const docker = await answering((_, response) => response.end(version('Engine')));
    const podman = await answering((_, response) => response.end(version('Podman Engine')));
    expect(await Promise.all([identifyEngine(docker), identifyEngine(podman)])).toMatchObject([
      { name: 'docker', version: '9.9', engine: { version: '1.41' } },
      { name: 'podman', version: '9.9', engine: { version: '1.41' } },
    ]);
    await expect(findEngine('docker', { socket: podman })).rejects.toMatchObject({
      code: 'SANDBOX_UNAVAILABLE',
      message: `docker is not available (${podman}: podman answers there)`,
    });
  });

  it('that is missing is reported with the tried sockets and a hint', async () => {
    const socket = join(makeFolder(), 'none.sock');
    await expect(findEngine('podman', { socket })).rejects.toMatchObject({
      code: 'SANDBOX_UNAVAILABLE',
      message: `podman is not available (${socket}: no such socket)`,
      hint: expect.stringContaining('apt install podman'),
    });
  });

  it.each([
    ['1.41', '1.12', '1.41'],
    ['1.50', '1.24', '1.41'],
    ['1.52', '1.44', '1.44'],
  ])('that speaks up to %s and from %s on is spoken to in %s', (newest, oldest, spoken) => {
    expect(negotiateVersion(newest, oldest)).toBe(spoken);
  });

  it('that is too old is refused', () => {
    expect(() => negotiateVersion('1.40', '1.12')).toThrow('the engine has API version 1.40');
  });
});

describe('a question to an engine', () => {
  it('is asked in a version, with a query and a body', async () => {
    const asked: unknown[] = [];
    const socket = await answering((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        asked.push([request.method, request.url, Buffer.concat(parts).toString()]);
        response.end('{"Id":"x"}');
      });
    });
    const answer = await engineAt(socket, '1.41').ask('POST', '/a', { query: { f: '{"a":"b c"}' }, body: { k: 1 } });
    expect([asked, answer]).toEqual([[['POST', '/v1.41/a?f=%7B%22a%22%3A%22b+c%22%7D', '{"k":1}']], { Id: 'x' }]);
  });

  it.each<[string, RequestListener, object, number?]>([
    [
      'in its own words',
      (_, response) => response.writeHead(404).end('{"message":"no such image"}'),
      { status: 404, message: 'no such image' },
    ],
    [
      'in plain text',
      (_, response) => response.writeHead(502).end('bad\n  gateway'),
      { status: 502, message: 'bad gateway' },
    ],
    [
      'without words',
      (_, response) => response.writeHead(500).end(),
      { status: 500, message: 'the engine answered 500' },
    ],
    [
      'with something that is not JSON',
      (_, response) => response.end('<html>'),
      { status: 200, message: 'the engine sent a response that is not JSON' },
    ],
    ['by hanging up', (request) => request.socket.destroy(), { status: 0, message: 'socket hang up' }],
    ['not in time', () => {}, { status: 0, message: 'the engine did not answer within 100 ms (GET /v1.41/x)' }, 100],
    [
      'with half of an answer, and not in time',
      (_, response) => void response.writeHead(200).write('{"a":'),
      { status: 0, message: 'the engine did not answer within 100 ms (GET /v1.41/x)' },
      100,
    ],
  ])('that is refused %s is an error that says so', async (_, listener, expected, timeoutMs = PATIENCE_MS) => {
    const engine = engineAt(await answering(listener), '1.41');
    const error: unknown = await engine.ask('GET', '/x', { timeoutMs }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(EngineError);
    expect(error).toMatchObject(expected);
  });

  it('is shortened when the engine repeats all that it was sent', async () => {
    const long = JSON.stringify({ message: `begin ${'x'.repeat(10_000)} end` });
    const engine = engineAt(await answering((_, response) => response.writeHead(500).end(long)), '1.41');
    await expect(engine.ask('GET', '/x')).rejects.toThrow(/^begin x{194} … x{196} end$/u);
  });

  it('for a stream that is refused is an error', async () => {
    const socket = await answering((_, response) => response.writeHead(409).end('{"message":"not running"}'));
    await expect(engineAt(socket, '1.41').hijack('/attach')).rejects.toMatchObject({
      status: 409,
      message: 'not running',
    });
    const silent = await answering(() => {});
    await expect(engineAt(silent, '1.41').hijack('/attach', { timeoutMs: 100 })).rejects.toThrow('within 100 ms');
  });
});
