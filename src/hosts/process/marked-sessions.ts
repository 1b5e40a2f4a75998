/** Finds the sessions that have running processes, by the marks of these processes. */
import { isMarkLine, markLines, ownerOf } from './mark.ts';
import { scanNow } from './process-table.ts';

export function markedSessions(ownerFolder: string): ReadonlySet<string> {
  const owner = ownerOf(ownerFolder);
  const sessions = new Set<string>();
  for (const { first, marks } of scanNow().values()) {
    if (first.ended) continue;
    for (const line of marks) {
      const session = line.slice(line.indexOf('=') + 1);
      if (isMarkLine(line) && markLines(owner, session).every((each) => marks.includes(each))) sessions.add(session);
    }
  }
  return sessions;
}
