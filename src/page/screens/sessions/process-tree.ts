/** The processes of a session as lines of a tree. */
import type { SessionProcess } from '../../../wire/sessions/processes.ts';

export interface TreeLine {
  /** `│  └─ ` */
  readonly branch: string;
  readonly pid: number;
  readonly command: string;
}

/** A process whose parent is not listed, or is its own descendant, begins a tree. */
export function treeLines(processes: readonly SessionProcess[]): readonly TreeLine[] {
  const children = new Map<number, SessionProcess[]>();
  for (const process of processes) children.set(process.ppid, [...(children.get(process.ppid) ?? []), process]);
  const listed = new Set(processes.map(({ pid }) => pid));
  const shown = new Set<number>();
  const lines: TreeLine[] = [];
  const add = ({ pid, command }: SessionProcess, branch: string, below: string): void => {
    if (shown.has(pid)) return;
    shown.add(pid);
    lines.push({ branch, pid, command });
    const under = (children.get(pid) ?? []).filter((child) => !shown.has(child.pid));
    for (const [i, child] of under.entries()) {
      const isLast = i === under.length - 1;
      add(child, `${below}${isLast ? '└─ ' : '├─ '}`, `${below}${isLast ? '   ' : '│  '}`);
    }
  };
  for (const process of processes) if (!listed.has(process.ppid)) add(process, '', '');
  for (const process of processes) add(process, '', '');
  return lines;
}
