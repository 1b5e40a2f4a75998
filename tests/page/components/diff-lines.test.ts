import { describe, expect, it } from 'vitest';
import { diffLines } from '../../../src/page/components/diff-lines.ts';

const HEADER = '--- a/notes.sql\n+++ b/notes.sql\n';

describe('the lines of a diff', () => {
  it('are shown without the names of the files, each with its kind', () => {
    expect(diffLines(`${HEADER}@@ -1,2 +1,2 @@\n one\n-two\n+three\n`)).toEqual([
      { text: '@@ -1,2 +1,2 @@', kind: 'hunk' },
      { text: ' one', kind: 'context' },
      { text: '-two', kind: 'removed' },
      { text: '+three', kind: 'added' },
    ]);
  });

  it('keep a removed line that begins with `-- ` and an added one that begins with `++ `', () => {
    const lines = diffLines(`${HEADER}@@ -1 +1 @@\n--- drop table users;\n+++ keep\n`);
    expect(lines.slice(1)).toEqual([
      { text: '--- drop table users;', kind: 'removed' },
      { text: '+++ keep', kind: 'added' },
    ]);
  });

  it('keep the same line in a diff without a header', () => {
    expect(diffLines('--- drop table users;\n')).toEqual([{ text: '--- drop table users;', kind: 'removed' }]);
  });
});
