import { describe, expect, it, vi } from 'vitest';
import { AuditRows, type LoadPage, MOST_ROWS } from '../../../../src/page/screens/audit/rows.ts';
import { entryExample } from './entry-example.ts';

const PAGE = 3;

/** A log with entries 1 to `last`, and the positions that were asked for. */
function logOf(last: number): { readonly load: LoadPage; readonly asked: (number | undefined)[] } {
  const asked: (number | undefined)[] = [];
  return {
    asked,
    async load(before) {
      asked.push(before);
      const newest = (before ?? last + 1) - 1;
      const entries = Array.from({ length: Math.min(PAGE, newest) }, (_, i) => entryExample(newest - i));
      return { entries, next: newest > PAGE ? entries.at(-1)?.seq : undefined };
    },
  };
}

const numbers = (rows: AuditRows): readonly number[] => rows.entries.map(({ seq }) => seq);

describe('the rows of a search', () => {
  it('loads pages in order, as far as the view needs them', async () => {
    const { load, asked } = logOf(8);
    const rows = new AuditRows(load);
    await rows.ensure(1);
    expect([numbers(rows), rows.isComplete]).toEqual([[8, 7, 6], false]);
    await rows.ensure(3);
    expect(asked).toEqual([undefined]);
    await rows.ensure(100);
    expect([numbers(rows), rows.isComplete, asked]).toEqual([[8, 7, 6, 5, 4, 3, 2, 1], true, [undefined, 6, 3]]);
    await rows.ensure(1_000);
    expect(asked).toHaveLength(3);
  });

  it('keeps a bounded number of them', async () => {
    const entries = Array.from({ length: MOST_ROWS / 2 }, (_, i) => entryExample(i));
    const load = vi.fn<LoadPage>(async () => ({ entries, next: 1 }));
    const rows = new AuditRows(load);
    await rows.ensure(Number.MAX_SAFE_INTEGER);
    expect([rows.entries.length, rows.isComplete, load.mock.calls.length]).toEqual([MOST_ROWS, false, 2]);
  });

  it('asks for each page once, however many views need it', async () => {
    const { load, asked } = logOf(8);
    const rows = new AuditRows(load);
    await Promise.all([rows.ensure(8), rows.ensure(2), rows.ensure(5)]);
    expect([numbers(rows).length, asked.length]).toEqual([8, 3]);
  });

  it('keeps its rows when a page fails, and loads that page with the next view', async () => {
    const { load } = logOf(5);
    let isDown = false;
    const rows = new AuditRows((before) => (isDown ? Promise.reject(new Error('no link')) : load(before)));
    await rows.ensure(1);
    isDown = true;
    await expect(rows.ensure(5)).rejects.toThrow('no link');
    expect(numbers(rows)).toEqual([5, 4, 3]);
    isDown = false;
    await rows.ensure(5);
    expect(numbers(rows)).toEqual([5, 4, 3, 2, 1]);
  });

  it('is complete without entries', async () => {
    const rows = new AuditRows(logOf(0).load);
    await rows.ensure(1);
    expect([numbers(rows), rows.isComplete]).toEqual([[], true]);
  });
});
