import { describe, expect, it } from 'vitest';
import { judge } from '../../src/policy/judge.ts';
import { hasShape, shapeOf, withAnyFile } from '../../src/policy/rules/shape.ts';
import type { AllowlistEntry, Judgement, Rules } from '../../src/wire/policy.ts';
import { shapeText } from '../../src/wire/rules/shape.ts';
import { machine, rules } from './machine.ts';
import { HARMLESS } from './tables/harmless.ts';
import { SNIPPETS } from './tables/snippets.ts';

/** Only these words are programs: on a real machine not every word is one. */
const PROGRAMS = new Set('id sh bash zsh touch irb make node true kill'.split(' '));

function judged(row: string, parts: Partial<Rules> = {}, entry: Partial<AllowlistEntry> = {}): Judgement {
  const at = row.indexOf(': ');
  const name = row.slice(0, at);
  const lookup = machine();
  const find = (word: string) =>
    word.includes('/') || word === name || PROGRAMS.has(word) ? lookup.find(word) : undefined;
  const allowlist = [{ pattern: `/usr/bin/${name}`, ...entry }];
  return judge(row.slice(at + 2), rules({ allowlist, ...parts }), { ...lookup, find }, '/home/u');
}

describe('an entry for a program without a profile', () => {
  it.each(SNIPPETS)('asks about what may start a program: %s', (row) => {
    expect(judged(row).verdict).not.toBe('allow');
    expect(judged(row, { unprofiled: 'shapes' }).verdict).not.toBe('allow');
  });

  it('allows most harmless calls', () => {
    const asked = HARMLESS.filter((row) => judged(row).verdict !== 'allow');
    expect(asked.length / HARMLESS.length).toBeLessThan(0.26);
  });

  it('allows no call that nobody has seen, with shapes', () => {
    expect(HARMLESS.filter((row) => judged(row, { unprofiled: 'shapes' }).verdict === 'allow')).toEqual([]);
  });
});

const place = { cwd: '/home/u', lookup: { ...machine(), realPath: (path: string) => path } };

describe('a shape', () => {
  it.each([
    ['scan src', 'scan src'],
    ['scan --depth=3 -j8 20 src', 'scan --depth=99 -j1 4.5 src'],
    ['--a x --b y', '--b y --a x'],
    ['scan -v --all', 'scan --all -v'],
    ['-v -- a b', '-v -- a b'],
  ])('of `%s` covers `%s`', (seen, called) => {
    expect(hasShape(called.split(' '), shapeOf(seen.split(' ')), place)).toBe(true);
  });

  it.each([
    ['scan src', 'src scan'],
    ['scan src', 'scan src other'],
    ['scan src', 'scan ./src'],
    ['scan --depth=3', 'scan --depth=x'],
    ['scan --depth=3', 'scan --width=3'],
    ['scan 3', 'scan -3'],
    ['--a x --b y', '--a y --b x'],
    ['--a x file --b', '--a x --b file'],
    ['scan --a', '--a scan'],
    ['-v -- a b', '-v -- b a'],
    ['a -- -v', 'a -v --'],
    ['scan 12', 'scan 1234567890123'],
  ])('of `%s` does not cover `%s`', (seen, called) => {
    expect(hasShape(called.split(' '), shapeOf(seen.split(' ')), place)).toBe(false);
  });

  it('allows any file of the folder in the place of one operand, and nothing else there', () => {
    const shape = withAnyFile(['check', '--fix', 'a.txt'], 2, place)!;
    const covered = ['b.txt', 'sub/c.txt', '-x', '../b', '/etc/passwd', '~/x', '.git/config', 'a=b', 'host:x', ''];
    expect(covered.filter((word) => hasShape(['check', '--fix', word], shape, place))).toEqual(['b.txt', 'sub/c.txt']);
    expect(hasShape(['check', '--fix=b.txt'], shape, place)).toBe(false);
  });

  it('offers any file only for an operand that is a file of the folder', () => {
    const missing = {
      ...place,
      lookup: { ...place.lookup, realPath: (path: string) => (path === '/home/u' ? path : undefined) },
    };
    expect(withAnyFile(['a.txt'], 0, missing)).toBeUndefined();
    expect(withAnyFile(['/etc/x'], 0, place)).toBeUndefined();
    expect(withAnyFile([], 0, place)).toBeUndefined();
  });

  it('is shown in words', () => {
    const shape = [...shapeOf(['scan', '--depth=3', '-j8', '7', 'two words']), { kind: 'file' as const }];
    expect(shapeText(shape)).toBe("scan --depth=<number> -j<number> <number> 'two words' <any file here>");
  });
});

describe('an entry with shapes', () => {
  const shapes = [shapeOf(['scan', '--depth=3', 'src'])];

  it.each(['screen', 'shapes'] as const)(
    'allows what has one of them, and asks about the rest, with %s',
    (unprofiled) => {
      const answer = (args: string) => judged(`tool: tool ${args}`, { unprofiled }, { shapes }).verdict;
      expect(['scan --depth=9 src', 'scan src --depth=9', 'scan', 'scan --depth=3 other'].map(answer)).toEqual([
        'allow',
        'ask',
        'ask',
        'ask',
      ]);
    },
  );

  it('asks with the shape that would be stored', () => {
    expect(judged('tool: tool scan --depth=3 src', { unprofiled: 'shapes' })).toMatchObject({
      verdict: 'ask',
      code: 'unprofiled',
      reason: 'tool has no profile, and no person has allowed it in the form scan --depth=<number> src',
      proposal: [{ pattern: '/usr/bin/tool', shapes, below: '/home/u' }],
    });
  });

  it('allows everything with arguments: any, also behind a pipe', () => {
    for (const unprofiled of ['screen', 'shapes'] as const)
      expect(judged('tool: tool --exec sh', { unprofiled }, { arguments: 'any' }).verdict).toBe('allow');
  });

  it('asks behind a pipe, where another command writes its input', () => {
    const allowlist = ['echo', 'tool'].map((name) => ({ pattern: `/usr/bin/${name}` }));
    expect(judge('echo id | tool', rules({ allowlist }), machine(), '/home/u')).toMatchObject({
      verdict: 'ask',
      code: 'unprofiled',
    });
  });
});
