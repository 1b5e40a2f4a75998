import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { PAGE, protocolPage } from '../../scripts/protocol-page.mjs';
import { METHODS } from '../../src/wire/methods.ts';

const page = readFileSync(PAGE, 'utf8');

it('is what the declarations say (node scripts/protocol-page.mjs writes it)', async () => {
  expect(page).toBe(await protocolPage(page));
});

it('has a row for every method, and a section for every type that it links to', () => {
  const rows = [...page.matchAll(/^\| `([a-z]+\.[a-z]+)` \|/gmu)].map(([, name]) => name);
  expect(rows).toEqual(Object.keys(METHODS));
  const sections = new Set([...page.matchAll(/^### (\w+)$/gmu)].map(([, name = '']) => name.toLowerCase()));
  const links = [...page.matchAll(/\]\(#(\w+)\)/gu)].map(([, name = '']) => name);
  expect(links.filter((name) => !sections.has(name))).toEqual([]);
});
