import { call } from '../../state/server.ts';

/** Downloads every match as JSON lines, oldest first. Returns their number. */
export async function exportMatches(q: string): Promise<number> {
  const parts: string[] = [];
  let entries = 0;
  let next: Awaited<ReturnType<typeof call<'audit.export'>>>['next'];
  do {
    const part = await call('audit.export', { q, ...(next === undefined ? {} : { next }) });
    parts.push(part.lines);
    entries += part.entries;
    next = part.next;
  } while (next !== undefined);
  save(new Blob(parts, { type: 'application/jsonl' }));
  return entries;
}

function save(blob: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = 'pincer-audit.jsonl';
  link.click();
  URL.revokeObjectURL(link.href);
}
