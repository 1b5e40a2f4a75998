/** Reads the process list of this machine. */
import { execFileSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readdirSync, readSync } from 'node:fs';

/** Identifies a process even after its pid is reused. */
export interface ProcessId {
  readonly pid: number;
  /** In the format of this system; empty when the process ended before it was read. */
  readonly startTime: string;
}

export interface ProcessEntry extends ProcessId {
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** A zombie. */
  readonly ended: boolean;
}

/** All processes, by pid. */
export function listProcesses(): Map<number, ProcessEntry> {
  return process.platform === 'linux' ? fromProc() : fromPs();
}

/** Undefined when there is no process with this pid. `proc` is the `/proc` of the pid's namespace. */
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

/** The current children of a process. */
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

/** False where the system's start times cannot be compared. */
export function startedBefore(a: ProcessId, b: ProcessId): boolean {
  return (
    process.platform === 'linux' &&
    a.startTime !== '' &&
    b.startTime !== '' &&
    Number(a.startTime) < Number(b.startTime)
  );
}

/** The initial environment of a process; empty when it is gone or another user's. On other systems than Linux it is split at blanks. */
export function environmentOf(pid: number): readonly string[] {
  try {
    if (process.platform === 'linux') return procText(`/proc/${pid}/environ`).split('\0');
    const line = execFileSync('/bin/ps', ['-p', `${pid}`, '-wwE', '-o', 'command='], { env: {}, encoding: 'latin1' });
    return line.trim().split(' ');
  } catch {
    return []; // it is gone, or its environment is not readable
  }
}

/** Whether the initial environment of a process contains all of these assignments. */
export function hasEnvironment(pid: number, assignments: readonly string[]): boolean {
  const environment = environmentOf(pid);
  return assignments.every((each) => environment.includes(each));
}

/** The arguments of a process; empty when it is gone. On other systems than Linux they are split at blanks. */
export function commandLineOf(pid: number): readonly string[] {
  try {
    if (process.platform === 'linux') return procText(`/proc/${pid}/cmdline`, 'utf8').split('\0').filter(Boolean);
    const line = execFileSync('/bin/ps', ['-p', `${pid}`, '-ww', '-o', 'command='], { encoding: 'utf8' });
    return line.trim().split(/\s+/u);
  } catch {
    return []; // it is gone
  }
}

/** Shared by all reads: files of /proc have no size, and `readFileSync` takes twice the time for them. */
const readBuffer = Buffer.allocUnsafeSlow(1 << 16);

export function procText(path: string, encoding: 'latin1' | 'utf8' = 'latin1'): string {
  const fd = openSync(path, 'r');
  try {
    let length = readSync(fd, readBuffer, 0, readBuffer.length, null);
    if (length < PAGE) return readBuffer.toString(encoding, 0, length);
    let text = readBuffer.toString(encoding, 0, length);
    while ((length = readSync(fd, readBuffer, 0, readBuffer.length, null)) > 0)
      text += readBuffer.toString(encoding, 0, length);
    return text;
  } finally {
    closeSync(fd);
  }
}

/** A shorter read from /proc is a complete one. */
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

/** The name is in parentheses and may contain any character, so the fields begin after the last parenthesis. */
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

/** Parses the output of `ps -axo pid=,ppid=,pgid=,stat=,lstart=`. It has no sessions, so the group is used instead. */
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
