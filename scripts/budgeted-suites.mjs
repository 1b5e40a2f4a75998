// @ts-check
/** The test files that do more work in the deep tier. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';

const BUDGETS = ['tests/support/budget.ts', 'tests/support/property.ts'];

/**
 * Test files that import the budget of their tier, directly or through another file of tests, and all in `folders`.
 * @param {string} root @param {readonly string[]} folders
 */
export function budgetedSuites(root, folders) {
  const files = readdirSync(join(root, 'tests'), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name));
  const imports = new Map(files.map((file) => [file, importsOf(file)]));
  const budgeted = new Set(BUDGETS.map((file) => join(root, file)));
  for (let before = 0; before < budgeted.size; ) {
    before = budgeted.size;
    for (const [file, targets] of imports) if (targets.some((target) => budgeted.has(target))) budgeted.add(file);
  }
  return files
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => ({ file, name: relative(root, file).split(sep).join('/') }))
    .filter(({ file, name }) => budgeted.has(file) || folders.some((folder) => name.startsWith(folder)))
    .map(({ name }) => name)
    .sort();
}

/** The files that a file imports by a relative path. @param {string} file */
function importsOf(file) {
  const found = readFileSync(file, 'utf8').matchAll(/\bfrom '(\.[^']+)'/gu);
  return Array.from(found, ([, path]) => join(dirname(file), path ?? ''));
}
