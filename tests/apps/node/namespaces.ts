/** Network namespaces: machines with addresses of their own on one kernel. Programs are started by their absolute paths. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { onTestFinished } from 'vitest';

const IP = ['/usr/sbin/ip', '/usr/bin/ip', '/sbin/ip'].find((file) => existsSync(file)) ?? '/usr/sbin/ip';
const UNSHARE = '/usr/bin/unshare';

export interface Namespace {
  /** What a program is started by, to run there under the host name. It keeps its pid. */
  readonly prefix: readonly string[];
}

export interface Cable {
  /** The addresses of both ends. */
  readonly addresses: readonly [string, string];
  cut(): void;
  restore(): void;
}

let made = 0;

/** Why none can be made; undefined where they can. */
export function whyNoNamespaces(): string | undefined {
  for (const file of [IP, UNSHARE]) if (!existsSync(file)) return `${file} is missing`;
  const name = `pin-probe-${process.pid}`;
  const added = spawnSync(IP, ['netns', 'add', name], { encoding: 'utf8' });
  if (added.status !== 0) return `network namespaces are not permitted: ${added.stderr.trim()}`;
  const entered = spawnSync(IP, ['netns', 'exec', name, UNSHARE, '--uts', '/bin/true'], { encoding: 'utf8' });
  spawnSync(IP, ['netns', 'delete', name]);
  return entered.status === 0 ? undefined : `a namespace cannot be entered: ${entered.stderr.trim()}`;
}

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
    cut: () => ip('-n', second.name, 'link', 'set', ends[1], 'down'),
    restore: () => ip('-n', second.name, 'link', 'set', ends[1], 'up'),
  };
}

function ip(...args: readonly string[]): void {
  const { status, stderr } = spawnSync(IP, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`ip ${args.join(' ')}: ${stderr}`);
}
