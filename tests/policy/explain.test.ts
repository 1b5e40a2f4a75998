import { describe, expect, it } from 'vitest';
import { explainJudgement } from '../../src/policy/explain.ts';
import { judge } from '../../src/policy/judge.ts';
import { ask, machine, rules } from './machine.ts';

/** The line of the command and the one with the caret. */
function marked(command: string): readonly string[] {
  return explainJudgement(command, ask(command, ['ls']))
    .split('\n')
    .slice(2, 4);
}

describe('an explanation', () => {
  it('shows each stage, the program, the rule and what would allow it', () => {
    const command = 'nice ls | id -u';
    expect(explainJudgement(command, ask(command, ['ls']))).toBe(`? ask: asks a person first

  nice ls | id -u
            ^^

  allowlist-miss: /usr/bin/id is not on the allowlist
  to pass: allow it: pincer approvals allowlist add /usr/bin/id

  1. ✓ nice ls
     program  /usr/bin/nice
     allowlisted  /usr/bin/ls is allowed by /usr/bin/ls
     rule     {"pattern":"/usr/bin/ls"}
     runs as  nice /usr/bin/ls
  2. ? id -u
     program  /usr/bin/id
     allowlist-miss  /usr/bin/id is not on the allowlist

  allow-always would store:
    {"pattern":"/usr/bin/id","argv":["-u"],"cwd":"/home/u","source":"allow-always"}
`);
  });

  it('shows the steps of a compound command, and marks those that ask', () => {
    const command = 'n=3; cd sub && foo -x || ls > "$n"; m=4';
    const allowlist = [{ pattern: '/usr/bin/ls' }];
    const judged = judge(command, rules({ allowlist, compound: 'steps', starter: 'workspace' }), machine(), '/home/u');
    expect(explainJudgement(command, judged).split('\n').slice(2, -4)).toEqual(
      `
  n=3; cd sub && foo -x || ls > "$n"; m=4
                 ^^^

  allowlist-miss: /usr/bin/foo is not on the allowlist
  to pass: allow it: pincer approvals allowlist add /usr/bin/foo

  step 1: n=3
  step 2: cd sub
  1. ✓ cd sub
     folder  later steps run in /home/u/sub
  step 3, if the last step succeeded: foo -x
  2. ? foo -x
     program  /usr/bin/foo
     allowlist-miss  /usr/bin/foo is not on the allowlist
  step 4, if the last step failed: ls > "$n"
  3. ✓ ls
     program  /usr/bin/ls
     allowlisted  /usr/bin/ls is allowed by /usr/bin/ls
     rule     {"pattern":"/usr/bin/ls"}
  step 5: m=4
`
        .split('\n')
        .slice(1, -1),
    );
  });

  it('omits the last use from a rule', () => {
    const used = { lastUsedAt: 1, lastUsedCommand: 'ls secret', lastResolvedPath: '/usr/bin/ls' };
    const allowlist = [{ pattern: '/usr/bin/ls', reason: 'reading', ...used }];
    const text = explainJudgement('ls', judge('ls', rules({ allowlist }), machine(), '/'));
    expect(text.split('\n').filter((line) => line.includes('rule '))).toEqual([
      '     rule     {"pattern":"/usr/bin/ls","reason":"reading"}',
    ]);
  });

  it.each<[string, string, string]>([
    ['ls; id', '  ls; id', '    ^'],
    ['ls 日本 $HOME', '  ls 日本 $HOME', '          ^^^^^'],
    ['ls é\u0301 > x', '  ls é\u0301 > x', '       ^'],
    ['ls\rid', '  ls\\u{d}id', '    ^^^^^'],
    ['ls\nid', '  ls\\nid', '    ^^'],
    ['ls\u200b', '  ls\\u{200b}', '    ^^^^^^^^'],
    ['\u001b[2Kls', '  \\u{1b}[2Kls', '  ^^^^^^'],
    ['ls \u202e', '  ls \\u{202e}', '     ^^^^^^^^'],
  ])('puts the caret under what it is about: %j', (command, line, caret) => {
    expect(marked(command)).toEqual([line, caret]);
  });

  it('marks a stage that only a person can allow as one that asks', () => {
    const text = explainJudgement('bash -i', { ...ask('bash -i', ['ls']), verdict: 'ask' });
    expect(text).toContain('\n  1. ? bash -i\n');
  });

  it('shows the part of a long command that matters', () => {
    const [line, caret] = marked(`ls ${'a'.repeat(500)} ; id`);
    expect([line!.length < 130, line!.includes('; id'), line![caret!.indexOf('^')]]).toEqual([true, true, ';']);
  });

  it('has no character that a terminal would obey', () => {
    const command = "ls 'a\u0007\u001b[31m\u009b'";
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that must not be there
    expect(explainJudgement(command, ask(command, ['ls']))).not.toMatch(/[\0-\x09\x0b-\x1f\x7f-\x9f]/);
  });
});
