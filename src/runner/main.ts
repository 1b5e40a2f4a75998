/**
 * The program that starts commands and runs tools, in one of these roles. Each loads only the code that it needs:
 *   --spawn              starts the commands of this machine for the daemon
 *   --inside [--stdio]   starts commands and runs tools inside a sandbox
 *   --terminal           has one terminal, for a process with one of the other roles
 *   --tools              runs the file tools, for the role --inside
 * It is called over descriptor 3, or standard input and output with `--stdio`. It exits when the
 * connection ends, and ends all that it started.
 */
import { Socket } from 'node:net';
import { closeInherited } from '../hosts/process/inherited.ts';
import { useOwnPackagesOnly } from '../hosts/process/programs/own-packages.ts';
import type { Connection, Role } from './role.ts';

const DESCRIPTOR = 3;
/** The gateway waits ten seconds until it exits, so processes that cannot be ended are not waited for longer. */
const LEAVE_MS = 8000;

const [, , name, option] = process.argv;
const isStdio = option === '--stdio';
const isSpawner = name === '--spawn';

closeInherited(isStdio ? DESCRIPTOR : DESCRIPTOR + 1);
useOwnPackagesOnly();
let isLeaving = false;
const connection = openConnection();
const role = start();
connection.input.on('error', leave); // before the role listens
process.on('SIGUSR1', () => {}); // by default Node opens a debugger
// Commands have the same user and may signal it. In a sandbox only the end of its connection ends it.
for (const signal of ['SIGINT', 'SIGHUP', 'SIGTERM'] as const) process.on(signal, isSpawner ? leave : () => {});

function openConnection(): Connection {
  if (isStdio) return { input: process.stdin, output: process.stdout, leave };
  const socket = new Socket({ fd: DESCRIPTOR, readable: true, writable: true });
  return { input: socket, output: socket, leave };
}

async function start(): Promise<Role> {
  switch (name) {
    case '--spawn':
      return (await import('./spawn.ts')).spawnRole(connection);
    case '--terminal':
      return (await import('./terminal-process.ts')).terminalRole(connection);
    case '--tools':
      return new (await import('./tools/tool-process.ts')).ToolProcess(connection);
    case '--inside':
      return new (await import('./inside.ts')).Inside(connection, process.env['PATH']);
    default:
      throw new Error(`unknown role: ${name}`);
  }
}

function leave(): void {
  if (isLeaving) return;
  isLeaving = true;
  if (!isSpawner) setTimeout(() => process.exit(1), LEAVE_MS);
  role
    .then((started) => started.end())
    .then(
      () => process.exit(0),
      () => process.exit(1),
    );
}
