import { describe, expect, it } from 'vitest';
import { PROMISES } from '../../../src/hosts/sandbox/probe/promises.ts';
import { ATTACKED, readResults, tableInDocument, tableOf } from './table.ts';

describe('the table of the escape suite', () => {
  it('is in docs/security.md as recorded', () => {
    expect(
      tableInDocument(),
      'record it anew: RECORD=1 npx vitest run --no-file-parallelism tests/contracts/sandbox-escape',
    ).toBe(tableOf(readResults()));
  });

  it('has an outcome for every promise of every backend', () => {
    const results = readResults();
    expect(Object.keys(results)).toEqual(ATTACKED);
    for (const outcome of Object.values(results))
      expect(Object.keys(outcome ?? {}).toSorted()).toEqual(Object.keys(PROMISES).toSorted());
  });

  it('numbers each reason once', () => {
    const lines = tableOf({ docker: { seccomp: 'held', keys: 'why', vsock: 'why' } }).split('\n');
    expect(lines.filter((line) => /\| (?:held|no \(\d\)) \|$/u.test(line))).toHaveLength(3);
    expect(lines.filter((line) => line.startsWith('1.'))).toEqual(['1. why']);
  });
});
