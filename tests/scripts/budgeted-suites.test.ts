import { expect, it } from 'vitest';
import { budgetedSuites } from '../../scripts/budgeted-suites.mjs';
import { makeFolder } from '../support/folder.ts';

it('finds the test files that import the budget, also through another file, and those of a folder', () => {
  const root = makeFolder({
    'tests/support/budget.ts': '',
    'tests/support/property.ts': "import { runs } from './budget.ts';",
    'tests/a/direct.test.ts': "import { runs } from '../support/budget.ts';",
    'tests/a/property.test.ts': "import { fc } from '../support/property.ts';",
    'tests/a/cases.ts': "import {\n  runs,\n} from '../support/budget.ts';",
    'tests/a/through.test.ts': "import { CASES } from './cases.ts';",
    'tests/a/none.test.ts': "import { budget } from './budget.ts';",
    'tests/b/kills.test.ts': '',
    'tests/b/helper.ts': '',
  });
  expect(budgetedSuites(root, ['tests/b/'])).toEqual([
    'tests/a/direct.test.ts',
    'tests/a/property.test.ts',
    'tests/a/through.test.ts',
    'tests/b/kills.test.ts',
  ]);
});
