/** The lines of a unified diff that a person reads. */
export interface DiffLine {
  readonly text: string;
  readonly kind: 'added' | 'removed' | 'hunk' | 'context';
}

const KINDS: Readonly<Record<string, DiffLine['kind']>> = { '+': 'added', '-': 'removed', '@': 'hunk' };

/** Without the names of the files, which come before the first hunk. Later, `--- ` is a removed line that begins with `-- `. */
export function diffLines(text: string): readonly DiffLine[] {
  const lines = text.split('\n').filter((line) => line !== '');
  const firstHunk = lines.findIndex((line) => line.startsWith('@@'));
  return lines.slice(Math.max(0, firstHunk)).map((line) => ({ text: line, kind: KINDS[line.charAt(0)] ?? 'context' }));
}
