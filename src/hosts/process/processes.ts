/** The processes of this machine, as far as ending a tree of them needs it. */
import { execFileSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readdirSync, readSync } from 'node:fs';

/** A process that cannot be mistaken for a later one with the same number. */
export interface ProcessId {
  readonly pid: number;
  /** When it started, in the words of this system; empty when it was gone before anyone looked. */
  readonly startTime: string;
}

/** One process. */
export interface ProcessEntry extends ProcessId {
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** Ended, and only waiting for its parent to hear of it. */
  readonly ended: boolean;
}

/** Everything that runs now, by number. */
export function listProcesses(): Map<number, ProcessEntry> {
  return process.platform === 'linux' ? fromProc() : fromPs();
}

/** One process; undefined when there is none with this number. `proc` is the `/proc` of the namespace that the number is of. */
export function processAt(pid: number, proc = '/proc'): ProcessEntry | undefined {
  if (process.platform !== 'linux') return fromPs().get(pid);
  try {
    return parseStat(procText(`${proc}/${pid}/stat`));
  } catch {
    return undefined; // it is gone
  }
}

/** Whether the kernel lists the children of a process. */
export function listsChildren(): boolean {
  return existsSync(`/proc/self/task/${process.pid}/children`);
}

/** The processes whose parent this one is now. */
export function childrenOf(pid: number): readonly ProcessEntry[] {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    const lists = threads.map((thread) => procText(`/proc/${pid}/task/${thread}/children`));
    const children = lists.flatMap((list) => list.split(' ').filter(Boolean).map(Number));
    return children.flatMap((child) => processAt(child) ?? []).filter(({ parent }) => parent === pid);
  } catch {
    return []; // it is gone
  }
}

/** Whether the first started before the second one, as far as the system tells. */
export function startedBefore(a: ProcessId, b: ProcessId): boolean {
  return (
    process.platform === 'linux' &&
    a.startTime !== '' &&
    b.startTime !== '' &&
    Number(a.startTime) < Number(b.startTime)
  );
}

/** The assignments that the process was started with; none when it is gone, or another user's. Elsewhere blanks divide them. */
export function environmentOf(pid: number): readonly string[] {
  try {
    if (process.platform === 'linux') return procText(`/proc/${pid}/environ`).split('\0');
    const line = execFileSync('/bin/ps', ['-p', `${pid}`, '-wwE', '-o', 'command='], { env: {}, encoding: 'latin1' });
    return line.trim().split(' ');
  } catch {
    return []; // it is gone, or its environment is closed to us
  }
}

/** Whether all of these assignments stand in the environment that the process was started with. */
export function hasEnvironment(pid: number, assignments: readonly string[]): boolean {
  const environment = environmentOf(pid);
  return assignments.every((each) => environment.includes(each));
}

/** The words that a process was started with; none when it is gone. Elsewhere than on Linux blanks divide them. */
export function commandLineOf(pid: number): readonly string[] {
  try {
    if (process.platform === 'linux') return procText(`/proc/${pid}/cmdline`, 'utf8').split('\0').filter(Boolean);
    const line = execFileSync('/bin/ps', ['-p', `${pid}`, '-ww', '-o', 'command='], { encoding: 'utf8' });
    return line.trim().split(/\s+/u);
  } catch {
    return []; // it is gone
  }
}

/** One place for all reads: files of /proc have no size to go by, and the usual way takes twice the time for that. */
const place = Buffer.allocUnsafeSlow(1 << 16);

/** A file of /proc as text. */
export function procText(path: string, encoding: 'latin1' | 'utf8' = 'latin1'): string {
  const fd = openSync(path, 'r');
  try {
    let length = readSync(fd, place, 0, place.length, null);
    if (length < PAGE) return place.toString(encoding, 0, length);
    let text = place.toString(encoding, 0, length);
    while ((length = readSync(fd, place, 0, place.length, null)) > 0) text += place.toString(encoding, 0, length);
    return text;
  } finally {
    closeSync(fd);
  }
}

/** The kernel gives at least so much at once, if there is as much. */
const PAGE = 4_096;

function fromProc(): Map<number, ProcessEntry> {
  const all = new Map<number, ProcessEntry>();
  for (const name of readdirSync('/proc')) {
    const first = name.charCodeAt(0);
    if (first < 0x30 || first > 0x39) continue;
    const entry = processAt(Number(name));
    if (entry !== undefined) all.set(entry.pid, entry);
  }
  return all;
}

/** The name stands in parentheses and may hold anything, parentheses too; the fields begin behind the last one. */
function parseStat(text: string): ProcessEntry {
  const pid = Number.parseInt(text, 10);
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state = '', parent = '0', group = '0', session = '0'] = fields;
  return {
    pid,
    startTime: fields[19] ?? '',
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    ended: state === 'Z' || state === 'X',
  };
}

function fromPs(): Map<number, ProcessEntry> {
  const text = execFileSync('/bin/ps', ['-axo', 'pid=,ppid=,pgid=,stat=,lstart='], { env: {}, encoding: 'latin1' });
  return parsePs(text);
}

/** Reads what `ps -axo pid=,ppid=,pgid=,stat=,lstart=` prints; it knows no sessions, so the group stands for them. */
export function parsePs(text: string): Map<number, ProcessEntry> {
  const all = new Map<number, ProcessEntry>();
  for (const line of text.split('\n')) {
    const parts = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.*\S)\s*$/u.exec(line);
    if (parts === null) continue;
    const [, pid, parent, group, state = '', startTime = ''] = parts;
    const session = Number(group);
    all.set(Number(pid), {
      pid: Number(pid),
      parent: Number(parent),
      group: session,
      session,
      startTime,
      ended: state.startsWith('Z'),
    });
  }
  return all;
}
