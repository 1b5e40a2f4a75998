// @ts-check
/** An SSH server of its own on loopback, with keys of its own, and a master connection to it. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';

const SSHD = '/usr/sbin/sshd';
const SSH = '/usr/bin/ssh';

/**
 * @param {string} parent
 * @returns {Promise<{ command: readonly string[], stop(): Promise<void> } | { reason: string, stop(): Promise<void> }>}
 */
export async function startSsh(parent) {
  const none = (/** @type {string} */ reason) => ({ reason, stop: async () => undefined });
  for (const file of [SSHD, SSH]) if (!existsSync(file)) return none(`${file} is not installed`);
  const folder = join(parent, 'ssh');
  mkdirSync(folder, { mode: 0o700 });
  for (const name of ['host', 'user'])
    spawnSync('/usr/bin/ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(folder, name)]);
  writeFileSync(join(folder, 'authorized'), readFileSync(join(folder, 'user.pub')), { mode: 0o600 });
  const port = await freePort();
  const config = {
    ListenAddress: `127.0.0.1:${port}`,
    HostKey: join(folder, 'host'),
    AuthorizedKeysFile: join(folder, 'authorized'),
    PidFile: 'none',
    StrictModes: 'no',
    UsePAM: 'no',
    PermitRootLogin: 'prohibit-password',
  };
  writeFileSync(join(folder, 'sshd_config'), lines(config));
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true });
  const server = spawn(SSHD, ['-D', '-e', '-f', join(folder, 'sshd_config')], { stdio: ['ignore', 'ignore', 'pipe'] });
  let errors = '';
  server.stderr.setEncoding('utf8').on('data', (text) => (errors += text));
  const options = {
    ControlPath: join(folder, 'm'),
    IdentityFile: join(folder, 'user'),
    IdentitiesOnly: 'yes',
    StrictHostKeyChecking: 'no',
    UserKnownHostsFile: '/dev/null',
    BatchMode: 'yes',
    LogLevel: 'ERROR',
    Port: `${port}`,
    User: userInfo().username,
  };
  writeFileSync(join(folder, 'ssh_config'), lines(options));
  const ssh = [SSH, '-F', join(folder, 'ssh_config')];
  const master = await masterConnection(ssh);
  const stop = async () => {
    for (const child of [master, server]) {
      if (child === undefined || child.exitCode !== null) continue;
      const closed = once(child, 'exit');
      child.kill('SIGTERM');
      await closed;
    }
  };
  if (master !== undefined) return { command: [...ssh, '127.0.0.1'], stop };
  await stop();
  return none(`the SSH server refused the connection: ${errors.trim().split('\n').at(-1)}`);
}

/** The server may need a moment before it listens. @param {readonly string[]} ssh */
async function masterConnection([file = '', ...args]) {
  for (let attempt = 0; attempt < 20; attempt++) {
    const master = spawn(file, [...args, '-M', '-N', '127.0.0.1'], { stdio: 'ignore' });
    for (let check = 0; check < 20 && master.exitCode === null; check++) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      if (spawnSync(file, [...args, '-O', 'check', '127.0.0.1']).status === 0) return master;
    }
    master.kill('SIGTERM');
  }
  return undefined;
}

/** @param {Record<string, string>} settings */
function lines(settings) {
  return Object.entries(settings)
    .map(([name, value]) => `${name} ${value}\n`)
    .join('');
}

/** @returns {Promise<number>} */
async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}
