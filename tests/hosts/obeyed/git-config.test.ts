import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { readGitConfig } from '../../../src/hosts/obeyed/git/git-config.ts';
import { makeFolder } from '../../support/folder.ts';
import { runs, withSeed } from '../../support/budget.ts';

/** One line for each setting, with its full name; blanks are compared as one kind, because versions of git differ in them. */
function listed(text: string): string[] | 'broken' {
  const { settings, brokenLine } = readGitConfig(text);
  if (brokenLine !== undefined) return 'broken';
  const lines = settings.map(({ name, subsection, value }) => {
    const dot = name.indexOf('.');
    const full = subsection === undefined ? name : `${name.slice(0, dot)}.${subsection}${name.slice(dot)}`;
    return { line: `${full}=${value}`.replaceAll(/[\t\r]/gu, ' '), name: full, value };
  });
  return lines
    .filter(({ line, value }, i) => lines[i - 1]?.line !== line || lines[i - 1]?.value === value)
    .map(({ line }) => line);
}

/** What git itself says, for all texts in one process. */
function listedByGit(texts: readonly string[]): (string[] | 'broken')[] {
  const folder = makeFolder(Object.fromEntries(texts.map((text, i) => [`c${i}`, text])));
  const script = `for i in $(seq 0 ${texts.length - 1}); do git config --file c$i --list -z 2>/dev/null; printf '%s\\001' $?; done`;
  const told = execFileSync('sh', ['-c', script], {
    cwd: folder,
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: folder, GIT_CONFIG_NOSYSTEM: '1' },
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  return told
    .split('\u0001')
    .slice(0, -1)
    .map((part) => {
      const entries = part.split('\0');
      if (entries.pop() !== '0') return 'broken';
      return entries
        .map((entry) => (entry.includes('\n') ? entry.replace('\n', '=') : `${entry}=true`))
        .map((entry) => entry.replaceAll(/[\t\r]/gu, ' '));
    });
}

const TEXTS: Readonly<Record<string, string>> = {
  'H1: a comment that ends in a backslash': '# x \\\n[core]\n\tfsmonitor = x\n',
  'H1: a comment behind a value that ends in a backslash': '[core]\n\teditor = a # b \\\n\tfsmonitor = x\n',
  'H1: a second header on a line': '[a] [core] fsmonitor = x\n',
  'H1: three headers on a line': '[a] [b "c"][core]fsmonitor=x\n',
  'H1: a line separator in a value': '[core]\n\tfsmonitor = a\u2028b\n\tpager\u2029 = x\n',
  'H1: a paragraph separator in a value': '[core]\n\tfsmonitor = a\u2029b\n',
  'H1: a single carriage return': '[core]\n\tfsmonitor = a\rb\n',
  'a carriage return behind a name': '[core]\n\tfsmonitor\r = a\n',
  'lines that end as on Windows': '[core]\r\n\tfsmonitor = a\r\n\tlast\r\n',
  'quotes in the middle': '[a]\n\tb = "c # d" e ; f\n\tm=n"o"p\n\tj = "k\\tl\\\\" \n',
  'a continued line': '[a]\n\tg = h\\\n i\n',
  'a continued quote': '[a]\n\tg = "h\\\n i"\n',
  'a quote that does not end': '[a]\n\tg = "h\n i"\n',
  'an unknown escape': '[a]\n\tg = h\\qi\n',
  'a backslash at the end': '[a]\n\tg = h\\',
  'an escaped subsection': '[x "q]\\"\\\\ \\n"]\n\tb = c\n',
  'a subsection in dots': '[Filter.Name] Clean = x\n',
  'a subsection with dots': '[filter "a.b.c"] clean = x\n',
  'a subsection with an equals sign': '[filter "a=b"] clean = x\n',
  'a subsection of both forms': '[filter.a "B"] clean = x\n',
  'an empty subsection': '[filter ""] clean = x\n',
  'an empty section': '[] a = x\n',
  'a section without a name': '[ "x"] a = y\n',
  'an underscore': '[core]\n\tfs_monitor = x\n',
  'a name that begins with a digit': '[core]\n\t1a = x\n',
  'a name without a value and a comment': '[core]\n\tbare # x\n',
  'a name without a value': '[core]\n\tbare\n\tfsmonitor=x\n',
  'no section': 'a = b\n',
  'a byte order mark': '\ufeff[core] fsmonitor = x\n',
  'two byte order marks': '\ufeff\ufeff[core] fsmonitor = x\n',
  'other blanks': '[core]\u000b\n\u00a0fsmonitor = x\n',
  'tabs inside of a value': '[core]\n\thooksPath = a\tb  c \n',
  nothing: '',
};

describe('the settings of a repository', () => {
  it('are read as git reads them, whatever form they have', () => {
    const byGit = listedByGit(Object.values(TEXTS));
    const names = Object.keys(TEXTS);
    expect(Object.fromEntries(Object.entries(TEXTS).map(([name, text]) => [name, listed(text)]))).toEqual(
      Object.fromEntries(byGit.map((each, i) => [names[i], each])),
    );
  });

  it('are found where a comment, a header or a character seems to hide them', () => {
    const hidden = Object.entries(TEXTS).filter(([name]) => name.startsWith('H1'));
    expect(
      hidden.filter(([, text]) => !readGitConfig(text).settings.some(({ name }) => name === 'core.fsmonitor')),
    ).toEqual([]);
  });

  it('end at the line that git refuses', () => {
    expect(readGitConfig('[a]\nb = c\n\n?\n[d] e')).toEqual({ settings: [{ name: 'a.b', value: 'c' }], brokenLine: 4 });
  });

  it('have both values where versions of git differ', () => {
    const { settings } = readGitConfig('[core] hooksPath = a\tb\n');
    expect(settings.map(({ value }) => value)).toEqual(['a b', 'a\tb']);
  });

  it(
    'are read as git reads them, in texts of chance',
    withSeed((next) => {
      const texts = Array.from({ length: runs(400, 4_000) }, () => randomText(next));
      const byGit = listedByGit(texts);
      expect(byGit.filter((each) => each !== 'broken').length).toBeGreaterThan(texts.length / 10);
      expect(texts.map((text) => ({ text, read: listed(text) }))).toEqual(
        texts.map((text, i) => ({ text, read: byGit[i] })),
      );
    }),
  );
});

const PIECES =
  '[core]|[a.B]|[a "b"]|[a "\\"="]|[|]| |\t|\n|\n|\n|\r\n|\r|"|\\|\\\n|#|;|=|a = |Name|b=c|\tx = y\n|"q r"|\\n|\\t|\\q|-|_|.|1|\u00e9|\u2028|\u0085|\u000b|\u000c|\ufeff|\ud83d\ude00'.split(
    '|',
  );
const WHOLE_LINES = [
  '[core]\n',
  '[a "b c"]\n',
  '\ta = b\n',
  ' name\n',
  '# comment\n',
  'x = "y ; z" # w\n',
  'k = l\\\nm\n',
  '\n',
];

function randomText(next: () => number): string {
  const pick = (list: readonly string[]): string => list[Math.floor(next() * list.length)]!;
  let text = '';
  for (let left = Math.floor(next() * 8); left >= 0; left--) text += next() < 0.6 ? pick(WHOLE_LINES) : pick(PIECES);
  return text;
}
