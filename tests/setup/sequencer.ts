import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { LONGEST } from '../../scripts/suites.mjs';

/** Starts the longest test files first; a bare clone has no times of an earlier run to sort by. */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => rankOf(a) - rankOf(b));
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  const file = relative(process.cwd(), moduleId);
  const rank = LONGEST.findIndex((folder) => file.startsWith(`${folder}/`));
  return rank === -1 ? LONGEST.length : rank;
}
