import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readRules, verdictOf } from '../../../src/apps/mcp/resources/ignore.ts';
import { makeFolder } from '../../support/folder.ts';
import { fc, runs } from '../../support/property.ts';

const RULES =
  '*.log !keep.log dist/ /only docs/**/*.pdf a/b **/x x/** *.[oa] [!a]b \\#c foo* */bar a?c /a/*/c **/q/**/r b/ !b/ \\!neg [a-c]x * !*.md /**/z a**b';
const NAMES =
  'a b c x ab abc axc keep.log q.log dist only docs bar r q z m.md m.pdf f.o #c foo1 !neg bx zx zb a12b'.split(' ');

/** Whether the rules leave a path out: a folder that is left out takes with it all that it holds. */
function leavesOut(text: string, path: string): boolean {
  const rules = readRules(text);
  const names = path.split('/');
  return names.some((_, at) => {
    const isFolder = at < names.length - 1;
    return verdictOf(rules, names.slice(0, at + 1), isFolder, { left: 1_000_000 }) === 'left-out';
  });
}

describe('the rules of a .gitignore', () => {
  test('ignore the same files as git', () => {
    const folder = makeFolder();
    const git = (args: readonly string[], input = '') =>
      spawnSync('git', ['-C', folder, ...args], { input, encoding: 'utf8', env: { PATH: process.env['PATH'] ?? '' } });
    expect(git(['init', '-q']).status).toBe(0);
    const rules = fc.array(fc.constantFrom(...RULES.split(' '), 'trail ', 'te st'), { minLength: 1, maxLength: 4 });
    const path = fc.array(fc.constantFrom(...NAMES, 'trail', 'te st'), { minLength: 1, maxLength: 3 });
    const paths = fc.uniqueArray(path, { minLength: 10, maxLength: 25, selector: (names) => names.join('/') });
    fc.assert(
      fc.property(rules, paths, (lines, asked) => {
        const text = `${lines.join('\n')}\n`;
        writeFileSync(join(folder, '.gitignore'), text);
        const all = asked.map((names) => names.join('/'));
        const { stdout } = git(['check-ignore', '--no-index', '--stdin', '-z'], `${all.join('\0')}\0`);
        const expected = stdout.split('\0').slice(0, -1);
        expect(all.filter((name) => leavesOut(text, name))).toEqual(expected);
      }),
      { numRuns: runs(60) },
    );
  });

  test('that take too many comparisons leave nothing out', () => {
    const rules = readRules(`${'*a'.repeat(50)}b\n*\n`);
    expect(verdictOf(rules, ['a'.repeat(200)], false, { left: 3 })).toBeUndefined();
    expect(verdictOf(rules, ['a'.repeat(200)], false, { left: 1_000_000 })).toBe('left-out');
  });
});
