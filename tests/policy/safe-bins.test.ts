import { describe, expect, it } from 'vitest';
import { judge } from '../../src/policy/judge.ts';
import { machine, rules, SAFE, table } from './machine.ts';

const ALL = [...SAFE, 'sort', 'grep'];

function verdictOf(command: string, safeBins: readonly string[] = ALL): string {
  return judge(command, rules({ safeBins }), machine(), '/home/u').verdict;
}

describe('a safe bin', () => {
  it.each(
    table(String.raw`
    head
    head -n 1
    head -n1
    head -5
    head -qn 5
    head --lines=5
    head --lines 5
    head -c 1k
    head -
    tail -n +2
    tail -20
    tail --bytes=5 -q
    tail -n 1 --pid=1
    cut -d , -f 1
    cut -d: -f1,3-
    cut -d ' ' -f 2 --output-delimiter=/
    cut -c1-5
    cut -b 1 --complement
    uniq
    uniq -c
    uniq -cd
    uniq -f 1 -s 2 -w 3
    uniq --group
    uniq --all-repeated=separate
    tr a b
    tr -d '\n'
    tr -s ' '
    tr -cd 'a-z\n'
    tr '[:lower:]' '[:upper:]'
    tr / _
    tr -- -a b
    wc
    wc -l
    wc -lwc
    wc --lines --words
    sort
    sort -rn
    sort -t , -k 2,2n
    sort -k2 --unique --reverse
    sort --sort=version
    sort -S 10M --parallel=2
    grep -e x
    grep -ie x
    grep -c -e 'a|b' -E
    grep -v -e x -m 5
    grep -A2 -B2 -e x
    grep --regexp=x --count
    /usr/bin/head -n 1
    head -n 5 | tail -n 1 | wc -c
  `),
  )('runs without an entry while it only filters: %s', (command) => {
    expect(verdictOf(command)).toBe('allow');
  });

  it.each(
    table(`
    head x
    head -n 1 .env
    head -- x
    head -n
    head --lin=1
    head --lines=1 x
    head -x
    head '*'
    head /etc/passwd
    tail -f
    tail -F
    tail -n 5 -f
    tail -qf
    tail -5f
    tail --follow
    tail --follow=name
    tail --retry
    tail --foll
    tail +5
    cut -d: -f1 x
    cut --out=x
    uniq x
    uniq x y
    uniq - x
    uniq -c x
    tr
    tr a b c
    wc x
    wc --files0-from=x
    wc --files0-from=-
    wc --files0=x
    wc -l -- x
    sort x
    sort -o x
    sort -ox
    sort -uo x
    sort --output=x
    sort --outp=x
    sort --compress-program=id
    sort -T x
    sort --temporary-directory=x
    sort --files0-from=x
    sort --random-source=x
    sort -k 1 -o x
    grep x
    grep x y
    grep -e x y
    grep -r -e x
    grep -R -e x
    grep -f x
    grep -fx
    grep --file=x
    grep -d recurse -e x
    grep --directories=recurse -e x
    grep --exclude-from=x -e x
    grep --recursive -e x
    /tmp/x/head -n 1
    ./head -n 1
    /usr/local/bin/head -n 1
  `),
  )('asks when it may do more: %s', (command) => {
    expect(verdictOf(command)).not.toBe('allow');
  });

  it.each([
    'jq .',
    'sed p',
    'awk 1',
    'python3 -c 1',
    'nl',
    'cat',
    'bash',
    'env',
    'find .',
    'git status',
    'node x.js',
    'xargs',
    'tee x',
    'busybox',
  ])('is never %s, whatever the list says', (command) => {
    expect(verdictOf(command, [command.split(' ')[0]!])).not.toBe('allow');
  });

  it('is described by a profile, which can widen nothing that is denied', () => {
    const safeBinProfiles = {
      nl: { maxPositional: 0, allowedValueFlags: ['-w'], allowedFlags: ['-a'] },
      sort: { maxPositional: 1, allowedValueFlags: ['-o', '-k'] },
    };
    const given = rules({ safeBins: ['nl', 'sort'], safeBinProfiles });
    const answer = (command: string) => judge(command, given, machine(), '/').verdict;
    expect(['nl', 'nl -w 3', 'nl -b a', 'nl x', 'sort -k 1 x', 'sort -k 1 ./x', 'sort -o x'].map(answer)).toEqual([
      'allow',
      'allow',
      'deny',
      'deny',
      'allow',
      'deny',
      'deny',
    ]);
  });

  it('stands in a trusted folder', () => {
    const command = '/usr/local/bin/head -n 1';
    const answer = (safeBinTrustedDirs: readonly string[]) =>
      judge(command, rules({ safeBins: ['head'], safeBinTrustedDirs }), machine(), '/').verdict;
    expect([answer([]), answer(['/usr/local/bin'])]).toEqual(['deny', 'allow']);
  });
});
