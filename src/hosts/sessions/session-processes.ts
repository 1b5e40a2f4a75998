/** The processes of a session, for a person who decides whether to end it. */
import type { SessionProcess, SessionProcesses } from '../../wire/sessions/processes.ts';
import { plainText } from './log/plain-text.ts';

const MOST_LISTED = 500;
const LONGEST_COMMAND = 1000;

/**
 * Parents first, and the children of a process after it. The command lines have no control characters. Each process is listed once:
 * a hostile node may report one twice, or processes that are parents of each other.
 */
export function sessionProcesses({ processes: found, omitted: more = 0, ...rest }: SessionProcesses): SessionProcesses {
  const left = new Map(found.toSorted((a, b) => a.pid - b.pid).map((process) => [process.pid, process]));
  const total = left.size;
  const children = new Map<number, SessionProcess[]>();
  for (const process of left.values()) {
    const siblings = children.get(process.ppid);
    if (siblings === undefined) children.set(process.ppid, [process]);
    else siblings.push(process);
  }
  const roots = [...left.values()].filter(({ ppid }) => !left.has(ppid));
  const inOrder: SessionProcess[] = [];
  const waiting = [...roots, ...left.values()].toReversed();
  for (let process = waiting.pop(); process !== undefined; process = waiting.pop()) {
    if (!left.delete(process.pid)) continue;
    inOrder.push(process);
    waiting.push(...(children.get(process.pid) ?? []).toReversed());
  }
  const omitted = Math.max(0, total - MOST_LISTED) + more;
  return {
    processes: inOrder.slice(0, MOST_LISTED).map(({ pid, ppid, command }) => ({ pid, ppid, command: plain(command) })),
    ...(omitted === 0 ? {} : { omitted }),
    ...rest,
  };
}

function plain(command: string): string {
  const text = plainText(command.slice(0, 4 * LONGEST_COMMAND)).replaceAll(/[\r\n\t]+/gu, ' ');
  return text.length > LONGEST_COMMAND ? `${text.slice(0, LONGEST_COMMAND)}…` : text;
}
