import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesBelow, readText, root } from '../house/sources.ts';

const MOST_SCRIPT = 60_000;
const MOST_STYLE = 15_000;

const index = readText('dist/page/index.html');
/** The file that a browser loads, compressed as most servers do. */
const compressed = (path: string): number => statSync(join(root, 'dist', 'page', `${path}.gz`)).size;
const total = (paths: readonly string[]): number => paths.reduce((sum, path) => sum + compressed(path), 0);
const found = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, path = '']) => path);

/** A script and all that it imports at once. */
function withImports(path: string, seen = new Set<string>()): Set<string> {
  if (seen.has(path)) return seen;
  seen.add(path);
  const code = readFileSync(join(root, 'dist', 'page', path), 'utf8');
  for (const name of found(code, /(?:from|import)\s*["']\.\/([^"']+\.js)["']/gu)) withImports(`assets/${name}`, seen);
  return seen;
}

const home = filesBelow('dist/page/assets').filter(
  (file) => file.endsWith('.js') && readText(file).includes('Nothing waits for you'),
);
const homeStyle = filesBelow('dist/page/assets').filter(
  (file) => file.endsWith('.css') && readText(file).includes('.answer-bar'),
);

describe('the first load of the control page', () => {
  const scripts = [
    ...new Set(
      [
        ...found(index, /<script[^>]*src="\/([^"]+)"/gu),
        ...home.map((file) => file.slice('dist/page/'.length)),
      ].flatMap((path) => [...withImports(path)]),
    ),
  ];
  const styles = [
    ...found(index, /<link[^>]*stylesheet[^>]*href="\/([^"]+)"/gu),
    ...homeStyle.map((file) => file.slice('dist/page/'.length)),
  ];

  it(`has at most ${MOST_SCRIPT / 1000} KB of compressed script, with the home screen`, () => {
    expect([scripts.length >= 2, home.length]).toEqual([true, 1]);
    expect(total(scripts)).toBeLessThanOrEqual(MOST_SCRIPT);
  });

  it(`has at most ${MOST_STYLE / 1000} KB of compressed style, with the home screen`, () => {
    expect([styles.length, homeStyle.length]).toEqual([2, 1]);
    expect(total(styles)).toBeLessThanOrEqual(MOST_STYLE);
  });

  it('has no script, no style and no address of another server in its HTML', () => {
    expect(index).not.toMatch(/<style|\sstyle=|\son\w+=|https?:|<script(?![^>]*\ssrc=)/u);
  });
});

describe('the files of the control page', () => {
  it('have compressed copies', () => {
    const files = filesBelow('dist/page');
    const plain = files.filter((file) => /\.(?:html|js|css|svg)$/u.test(file));
    expect(plain.length).toBeGreaterThan(4);
    expect(plain.filter((file) => !files.includes(`${file}.gz`) || !files.includes(`${file}.br`))).toEqual([]);
  });

  it('come with the licences of the packages inside', () => {
    const licences = readText('dist/THIRD-PARTY.txt');
    for (const name of ['preact', '@preact/signals', '@preact/signals-core'])
      expect(licences).toMatch(new RegExp(`^${name} \\d`, 'mu'));
  });
});
