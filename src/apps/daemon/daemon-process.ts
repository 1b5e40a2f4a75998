/** Identifies the daemon process of a state folder. A signal may be sent only to a proven process. */
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { lockHolder } from '../../hosts/files/locks/lock-file.ts';
import { lockFolders } from '../../hosts/files/locks/locks.ts';
import { isAlive } from '../../hosts/files/locks/owner.ts';
import { attempt } from '../../hosts/process/attempt.ts';
import { commandLineOf, processAt, type ProcessId } from '../../hosts/process/processes.ts';
import { readPointer } from './pointer.ts';

/** `unproven`: the state folder names a process, but a check failed. */
export type DaemonProcess =
  | { readonly kind: 'none' }
  | { readonly kind: 'proven'; readonly process: ProcessId }
  | { readonly kind: 'unproven'; readonly pid: number; readonly why: string };

/**
 * Files in the state folder name the process, and the kernel must confirm them: the start time is the recorded one, the
 * process runs as this user, and it listens on the daemon's socket or, if that is not visible, was started as a daemon.
 */
export function daemonProcess(stateDir: string): DaemonProcess {
  const pointer = readPointer(stateDir);
  const holder = lockHolder(lockFolders(stateDir).folder, 'daemon');
  if (holder === undefined || !isAlive(holder)) {
    if (pointer === undefined || !isAlive(pointer)) return { kind: 'none' };
    return { kind: 'unproven', pid: pointer.pid, why: 'it does not own the lock of the state folder' };
  }
  const { pid } = holder;
  const entry = processAt(pid);
  const why = whyNotDaemon(pid, pointer?.pid === pid ? pointer.socket : undefined);
  if (!isAlive(holder) || entry === undefined) return { kind: 'none' }; // it has just exited
  if (why !== undefined) return { kind: 'unproven', pid, why };
  return { kind: 'proven', process: { pid, startTime: entry.startTime } };
}

function whyNotDaemon(pid: number, socket: string | undefined): string | undefined {
  if (pid <= 1 || pid === process.pid) return `no daemon can have pid ${pid}`;
  if (process.platform === 'linux' && statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid !== process.geteuid?.())
    return 'it runs as another user';
  if (socket !== undefined && listensOn(pid, socket)) return undefined;
  const args = commandLineOf(pid);
  const isDaemon = args.some(
    (arg, at) =>
      arg === 'serve' || arg === 'gateway' || ((arg === 'daemon' || arg === 'node') && args[at + 1] === 'run'),
  );
  return isDaemon ? undefined : 'it neither listens on the socket of the daemon nor was started as one';
}

/** Whether the process has a descriptor of the socket bound to this path; false if the system does not show that. */
function listensOn(pid: number, socket: string): boolean {
  const bound = attempt(() => readFileSync('/proc/net/unix', 'utf8')) ?? '';
  const descriptors = attempt(() => readdirSync(`/proc/${pid}/fd`)) ?? [];
  const open = new Set(descriptors.map((fd) => attempt(() => readlinkSync(`/proc/${pid}/fd/${fd}`))));
  return bound.split('\n').some((line) => {
    const [, inode, path] = /^(?:\S+\s+){6}(\d+)\s+(.*)$/u.exec(line) ?? [];
    return path === socket && open.has(`socket:[${inode}]`);
  });
}
