import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectGateway } from '../../../src/apps/client/connect.ts';
import { readPointer, writePointer } from '../../../src/apps/daemon/pointer.ts';
import { PROTOCOL } from '../../../src/wire/message.ts';
import { isAlive } from '../../../src/hosts/files/locks/owner.ts';
import { builtScript } from '../../support/built.ts';
import { daemonPlace } from '../../support/daemon.ts';
import { until, withEnoughTime } from '../../support/patience.ts';

let folder = '';
const program = builtScript('small-pincer');
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pincer-client-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const caller = { agent: 'main', operator: true } as const;

describe('connecting to the daemon', () => {
  it('starts and creates nothing with start: false', async () => {
    const { stateDir } = daemonPlace();
    await expect(connectGateway({ stateDir, program, start: false })).rejects.toMatchObject({
      code: 'GATEWAY_NOT_RUNNING',
    });
    expect(existsSync(join(stateDir, 'daemon'))).toBe(false);
  });

  it('starts one, and finds it again', async () => {
    const { stateDir } = daemonPlace();
    const [first, second] = [await connectGateway({ stateDir, program }), await connectGateway({ stateDir, program })];
    expect(second.daemon.pid).toBe(first.daemon.pid);
    expect(await second.call('session.list', { caller })).toEqual([]);
    first.close();
    second.close();
  });

  it('creates a missing state folder with mode 0700', async () => {
    const { stateDir } = daemonPlace();
    rmSync(stateDir, { recursive: true });
    const client = await connectGateway({ stateDir, program });
    expect(statSync(stateDir).mode & 0o777).toBe(0o700);
    client.close();
  });

  it.each(['/proc/nowhere/state', '/dev/null/state'])('says that %s is no place for it', async (stateDir) => {
    await expect(connectGateway({ stateDir, program })).rejects.toMatchObject({
      code: 'GATEWAY_START_FAILED',
      message: expect.stringContaining('cannot write the log of the daemon') as string,
      hint: 'make the state folder writable, or set PINCER_STATE_DIR to another folder',
    });
  });

  it('fails open requests when the daemon dies', async () => {
    const { stateDir } = daemonPlace();
    const client = await connectGateway({ stateDir, program });
    const waiting = client.notices({}, () => {}, new AbortController().signal);
    const pointer = readPointer(stateDir)!;
    process.kill(pointer.pid, 'SIGKILL');
    await expect(waiting).rejects.toMatchObject({ code: 'GATEWAY_LOST' });
    await expect(client.call('session.list', { caller })).rejects.toMatchObject({ code: 'GATEWAY_LOST' });
    await until(() => !isAlive(pointer), 'the end of the daemon');
  });

  it('does not connect to a socket in an unsafe folder, and starts a daemon', async () => {
    const { stateDir, env } = daemonPlace();
    const trap = join(env['XDG_RUNTIME_DIR']!, 'trap');
    mkdirSync(trap);
    chmodSync(trap, 0o755);
    let heard = 0;
    const server = createServer(() => heard++).listen(join(trap, 's'));
    mkdirSync(join(stateDir, 'daemon'), { mode: 0o700 });
    writePointer(stateDir, { pid: process.pid, start: '', socket: join(trap, 's') });
    const client = await connectGateway({ stateDir, program });
    expect({ heard, place: dirname(readPointer(stateDir)!.socket) === trap }).toEqual({ heard: 0, place: false });
    client.close();
    server.close();
  });

  /** A daemon of protocol 1 that answers every greeting with these bytes, and keeps what it heard. */
  async function oldDaemon(answer: string): Promise<{ stateDir: string; heard: string[]; end: () => void }> {
    const { stateDir, env } = daemonPlace();
    const socketPath = join(env['XDG_RUNTIME_DIR']!, 's');
    const heard: string[] = [];
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', (bytes: Buffer) => {
        heard.push(bytes.toString('latin1'));
        socket.end(Buffer.concat([Buffer.from([0, 0, 0, answer.length]), Buffer.from(answer)]));
        if (answer.includes('leaving')) server.close();
      });
    }).listen(socketPath);
    await until(() => existsSync(socketPath), 'the socket');
    mkdirSync(join(stateDir, 'daemon'), { mode: 0o700 });
    writePointer(stateDir, { pid: 4_000_000, start: '', socket: socketPath });
    return { stateDir, heard, end: () => server.close() };
  }

  it('reports what to do about a busy daemon of protocol 1', async () => {
    const { stateDir, heard, end } = await oldDaemon(
      '{"hello":{"version":"0.0.9","time":1,"protocol":1,"pid":4242,"answer":"refused","heartbeat":true}}',
    );
    await expect(connectGateway({ stateDir, program })).rejects.toMatchObject({
      code: 'GATEWAY_PROTOCOL',
      message: 'the running daemon (version 0.0.9, pid 4242) does not support this version, and is busy',
      hint: 'wait until its sessions have ended, or end them with pincer daemon stop --force',
    });
    // What a daemon of protocol 1 reads: a length, high byte first, and a hello in JSON.
    expect(heard.join()).toMatch(/^\0\0\0.\{"hello":\{"version":"[^"]+","time":[\d.]+,"protocol":3\}\}$/su);
    end();
  });

  it('starts a daemon when an idle one of protocol 1 exits', async () => {
    const { stateDir, heard } = await oldDaemon(
      '{"hello":{"version":"0.0.9","time":1,"protocol":1,"pid":4242,"answer":"leaving"}}',
    );
    const client = await connectGateway({ stateDir, program });
    expect([heard.length, client.daemon.protocol, client.daemon.answer]).toEqual([1, PROTOCOL, 'served']);
    client.close();
  });

  it.each(['', '{', '{"pid":1,"start":"","socket":"/tmp/x"}', '{"pid":77,"start":"","socket":"x"}', 'null'])(
    'does not mind a damaged pointer: %j',
    async (text) => {
      const { stateDir } = daemonPlace();
      mkdirSync(join(stateDir, 'daemon'), { mode: 0o700 });
      writeFileSync(join(stateDir, 'daemon', 'daemon.json'), text);
      expect(readPointer(stateDir)).toBeUndefined();
      await expect(connectGateway({ stateDir, program, start: false })).rejects.toMatchObject({
        code: 'GATEWAY_NOT_RUNNING',
      });
    },
  );

  it('times out on a program that never answers', async () => {
    const silent = join(folder, 'silent.cjs');
    writeFileSync(silent, "require('node:fs').writeFileSync(2, 'thinking'); setTimeout(() => {}, 8000);");
    let ms = 0;
    const refused = await withEnoughTime(
      (startMs) =>
        connectGateway({ stateDir: daemonPlace().stateDir, program: silent, startMs: (ms = startMs) }).catch(
          (error: unknown) => error,
        ),
      (error) => String(error).includes('thinking'),
      500,
    );
    expect(refused).toMatchObject({
      code: 'GATEWAY_START_FAILED',
      message: `the daemon did not answer within ${ms} ms: thinking`,
    });
  });

  it('lets a listener take its time, and keeps the order', async () => {
    const { stateDir } = daemonPlace();
    const client = await connectGateway({ stateDir, program });
    const context = { caller, folder: '/', environment: { PATH: '/usr/bin:/bin' } };
    await client.call('exec.start', { request: { command: 'seq 100000' }, context }); // several reads of a pipe
    let open = 0;
    const heard: string[] = [];
    await client.follow({ caller, sessionId: 'small-1' }, async (event) => {
      expect(++open).toBe(1);
      await new Promise(setImmediate);
      heard.push(event.type === 'output' ? Buffer.from(event.bytes).toString() : event.type);
      open--;
    });
    expect(heard.length).toBeGreaterThan(2);
    expect(heard.join('')).toBe(`${Array.from({ length: 100_000 }, (_, i) => i + 1).join('\n')}\nend`);
    client.close();
  });

  it('ends only the stream whose listener throws', async () => {
    const { stateDir } = daemonPlace();
    const client = await connectGateway({ stateDir, program });
    const context = { caller, folder: '/', environment: { PATH: '/usr/bin:/bin' } };
    await client.call('exec.start', { request: { command: 'echo x; sleep 300', background: true }, context });
    const broken = client.follow({ caller, sessionId: 'small-1' }, () => {
      throw new RangeError('full');
    });
    await expect(broken).rejects.toThrow(new RangeError('full'));
    expect(await client.call('session.list', { caller })).toMatchObject([{ status: 'running' }]);
    client.close();
  });
});
