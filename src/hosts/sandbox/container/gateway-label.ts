/** Container labels: they name the gateway that created a container, so that others can check whether it still runs. */
import { readFileSync, readlinkSync } from 'node:fs';
import { startTimeOf } from '../../process/start-time.ts';

export const LABELS = {
  sandbox: 'pincer.sandbox',
  specification: 'pincer.specification',
  gateway: 'pincer.gateway',
} as const;

interface Gateway {
  readonly boot: string;
  readonly pidNamespace: string;
  readonly pid: number;
  readonly startTime: string;
}

/** Identifies this process. */
export function gatewayLabel(): string {
  return [bootId(), pidNamespace(), process.pid, startTimeOf(process.pid) ?? ''].join(' ');
}

/**
 * Whether the gateway of a container has certainly ended. A gateway in another PID namespace, or a running container with
 * another boot id, may be in use, so it is not an orphan.
 */
export function isOrphan(label: string, isRunning: boolean): boolean {
  const [boot = '', namespace = '', pid = '', startTime = ''] = label.split(' ');
  const owner: Gateway = { boot, pidNamespace: namespace, pid: Number(pid), startTime };
  if (!Number.isSafeInteger(owner.pid) || owner.pid <= 0 || owner.startTime === '') return false;
  if (owner.boot !== bootId()) return !isRunning;
  return owner.pidNamespace === pidNamespace() && startTimeOf(owner.pid) !== owner.startTime;
}

function bootId(): string {
  return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
}

function pidNamespace(): string {
  return readlinkSync('/proc/self/ns/pid');
}
