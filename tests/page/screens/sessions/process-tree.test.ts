import { expect, test } from 'vitest';
import { treeLines } from '../../../../src/page/screens/sessions/process-tree.ts';
import { runs } from '../../../support/budget.ts';
import { fc } from '../../../support/property.ts';

test('children stand below their parents', () => {
  const lines = treeLines([
    { pid: 10, ppid: 1, command: 'npm test' },
    { pid: 11, ppid: 10, command: 'vitest' },
    { pid: 12, ppid: 11, command: 'worker 1' },
    { pid: 13, ppid: 11, command: 'worker 2' },
    { pid: 14, ppid: 10, command: 'esbuild' },
  ]);
  expect(lines.map(({ branch, pid, command }) => `${branch}${pid} ${command}`)).toEqual([
    '10 npm test',
    '├─ 11 vitest',
    '│  ├─ 12 worker 1',
    '│  └─ 13 worker 2',
    '└─ 14 esbuild',
  ]);
});

test('every process has one line, also where parents form a ring', () => {
  const process = fc.record({ pid: fc.integer({ min: 1, max: 8 }), ppid: fc.integer({ min: 1, max: 8 }) });
  fc.assert(
    fc.property(fc.uniqueArray(process, { selector: ({ pid }) => pid }), (list) => {
      const lines = treeLines(list.map((entry) => ({ ...entry, command: 'x' })));
      expect(new Set(lines.map(({ pid }) => pid))).toEqual(new Set(list.map(({ pid }) => pid)));
      expect(lines.length).toBe(list.length);
    }),
    { numRuns: runs(200) },
  );
});
