/**
 * Network namespaces: machines with addresses of their own on one kernel. The kernel breaks connections between them, as a
 * network does. Programs are started by their absolute paths.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { onTestFinished } from 'vitest';

const IP = ['/usr/sbin/ip', '/usr/bin/ip', '/sbin/ip'].find((file) => existsSync(file)) ?? '/usr/sbin/ip';
const SS = ['/usr/bin/ss', '/usr/sbin/ss', '/bin/ss'].find((file) => existsSync(file)) ?? '/usr/bin/ss';
const UNSHARE = '/usr/bin/unshare';

export interface Namespace {
  /** What a program is started by, to run there under the host name. It keeps its pid. */
  readonly prefix: readonly string[];
}

export interface Cable {
  /** The addresses of both ends. */
  readonly addresses: readonly [string, string];
  /** Aborts the TCP connections over it; the other end gets a reset. New ones work. */
  breakConnections(): void;
  /** Nothing passes any more; connections survive until one of their ends gives up. */
  unplug(): void;
  plugIn(): void;
}

let made = 0;

/** Why none can be made; undefined where they can. */
export function whyNoNamespaces(): string | undefined {
  for (const file of [IP, SS, UNSHARE]) if (!existsSync(file)) return `${file} is missing`;
  const name = `pin-probe-${process.pid}`;
  const added = spawnSync(IP, ['netns', 'add', name], { encoding: 'utf8' });
  if (added.status !== 0) return `network namespaces are not permitted: ${added.stderr.trim()}`;
  const inside = (...command: readonly string[]) =>
    spawnSync(IP, ['netns', 'exec', name, ...command], { encoding: 'utf8' });
  const entered = inside(UNSHARE, '--uts', '/bin/true');
  const broken = inside(UNSHARE, '--uts', process.execPath, '-e', BREAKS_A_CONNECTION, IP, SS);
  spawnSync(IP, ['netns', 'delete', name]);
  if (entered.status !== 0) return `a namespace cannot be entered: ${entered.stderr.trim()}`;
  return broken.status === 0 ? undefined : 'the kernel aborts no connections (CONFIG_INET_DIAG_DESTROY)';
}

/** Exits with 0 where a connection that `ss` shall abort ends with an error. */
const BREAKS_A_CONNECTION = `
  const { execFileSync } = require('node:child_process');
  const [, ip, ss] = process.argv;
  execFileSync(ip, ['link', 'set', 'lo', 'up']);
  const server = require('node:net').createServer((socket) => socket.on('error', () => {}));
  server.listen(0, '127.0.0.1', () => {
    const socket = require('node:net').connect(server.address().port, '127.0.0.1', () => {
      execFileSync(ss, ['-K', 'dst', '127.0.0.1'], { stdio: 'ignore' });
      socket.write('x', (error) => process.exit(error ? 0 : 1));
    });
    socket.on('error', () => process.exit(0));
  });`;

/** Removed with the test, and its cables with it. */
export function namespace(hostName: string): Namespace & { readonly name: string } {
  const name = `pin-${process.pid}-${++made}`;
  ip('netns', 'add', name);
  onTestFinished(() => ip('netns', 'delete', name));
  ip('-n', name, 'link', 'set', 'lo', 'up');
  const script = 'echo "$0" > /proc/sys/kernel/hostname && exec "$@"';
  return { name, prefix: [IP, 'netns', 'exec', name, UNSHARE, '--uts', '/bin/sh', '-c', script, hostName] };
}

/** Connects two namespaces by a cable with a network of its own. */
export function cable(first: { readonly name: string }, second: { readonly name: string }): Cable {
  const number = ++made;
  const addresses = [`10.213.${number}.1`, `10.213.${number}.2`] as const;
  const ends = [`pin${number}a`, `pin${number}b`] as const;
  ip('-n', first.name, 'link', 'add', ends[0], 'type', 'veth', 'peer', 'name', ends[1], 'netns', second.name);
  for (const [index, { name }] of [first, second].entries()) {
    ip('-n', name, 'address', 'add', `${addresses[index]!}/24`, 'dev', ends[index]!);
    ip('-n', name, 'link', 'set', ends[index]!, 'up');
  }
  return {
    addresses,
    breakConnections: () => ip('netns', 'exec', second.name, SS, '-K', 'dst', addresses[0]),
    unplug: () => ip('-n', second.name, 'link', 'set', ends[1], 'down'),
    plugIn: () => ip('-n', second.name, 'link', 'set', ends[1], 'up'),
  };
}

function ip(...args: readonly string[]): void {
  const { status, stderr } = spawnSync(IP, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`ip ${args.join(' ')}: ${stderr}`);
}
