import { spawnSync } from 'node:child_process';
import { readFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..');

it('llms.txt and llms-full.txt are current', () => {
  const { status, stderr } = spawnSync(process.execPath, [join(root, 'scripts', 'llms.mjs'), '--check'], {
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});

it('llms.txt names files that are there', () => {
  const text = readFileSync(join(root, 'llms.txt'), 'utf8');
  const links = [...text.matchAll(/\]\(([^)]+)\)/gu)].map(([, path]) => path!);
  expect(links.length).toBeGreaterThan(5);
  expect(links.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});
