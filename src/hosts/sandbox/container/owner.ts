/** Whose a container is: labels name the gateway that made it, so that another one sees whether that still lives. */
import { readFileSync, readlinkSync } from 'node:fs';
import { startTimeOf } from '../../process/start-time.ts';

/** The labels of every container of ours. */
export const LABELS = {
  sandbox: 'pincer.sandbox',
  specification: 'pincer.specification',
  gateway: 'pincer.gateway',
} as const;

/** A gateway: this boot of the machine, its view of processes, and the process with its start. */
interface Gateway {
  readonly boot: string;
  readonly view: string;
  readonly pid: number;
  readonly startTime: string;
}

/** How this process is named in labels. */
export function thisGateway(): string {
  return [bootId(), processView(), process.pid, startTimeOf(process.pid) ?? ''].join(' ');
}

/**
 * Whether the gateway of a container is certainly gone. One that counts processes in another namespace, or another boot of
 * the machine behind a container that still runs, may be anybody: it is let alone.
 */
export function isOrphan(label: string, isRunning: boolean): boolean {
  const [boot = '', view = '', pid = '', startTime = ''] = label.split(' ');
  const owner: Gateway = { boot, view, pid: Number(pid), startTime };
  if (!Number.isSafeInteger(owner.pid) || owner.pid <= 0 || owner.startTime === '') return false;
  if (owner.boot !== bootId()) return !isRunning;
  return owner.view === processView() && startTimeOf(owner.pid) !== owner.startTime;
}

function bootId(): string {
  return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
}

function processView(): string {
  return readlinkSync('/proc/self/ns/pid');
}
