import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { FAMILIES } from '../../../src/policy/profiles/index.ts';

import { listOfProfiles } from './page.ts';

it('lists in docs/exec.md what the profiles describe', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/exec.md'), 'utf8');
  const [, section] = /<!-- profiles -->\n([\s\S]*?)<!-- \/profiles -->/u.exec(page) ?? [];
  expect(section).toBe(listOfProfiles());
  expect(FAMILIES.length).toBeGreaterThan(0);
});
