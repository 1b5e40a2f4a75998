import { describe, expect, it } from 'vitest';
import { judge } from '../../src/policy/judge.ts';
import { machine, rules, SAFE, table } from './machine.ts';

const ALL = [...SAFE, 'sort', 'grep'];

/** Every long option that the GNU programs have. */
const LONG_OPTIONS = {
  head: 'bytes lines quiet silent verbose zero-terminated',
  tail: 'bytes follow lines max-unchanged-stats pid quiet silent retry sleep-interval verbose zero-terminated debug',
  wc: 'bytes chars lines files0-from max-line-length words total debug',
  uniq: 'count repeated all-repeated skip-fields group ignore-case skip-chars unique zero-terminated check-chars',
  cut: 'bytes characters delimiter fields complement only-delimited output-delimiter zero-terminated',
  sort:
    'ignore-leading-blanks dictionary-order ignore-case general-numeric-sort ignore-nonprinting month-sort human-numeric-sort numeric-sort ' +
    'random-sort random-source reverse sort version-sort batch-size check compress-program debug files0-from key merge output stable ' +
    'buffer-size field-separator temporary-directory parallel unique zero-terminated',
  grep:
    'extended-regexp fixed-strings basic-regexp perl-regexp regexp file ignore-case word-regexp line-regexp null-data no-messages invert-match ' +
    'max-count byte-offset line-number line-buffered with-filename no-filename label only-matching quiet silent binary-files text directories ' +
    'devices recursive dereference-recursive include exclude exclude-from exclude-dir files-without-match files-with-matches count ' +
    'initial-tab null before-context after-context context color colour binary',
};

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
  ])('is never %s, even if it is listed', (command) => {
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

  it.each(
    table(`
    head -n x
    head -n1f
    head --lines /etc/passwd
    tail -nf
    tail -n1f
    tail -cf
    tail --pid /etc/passwd
    uniq -f x
    wc --total /etc/passwd
    cut -f /etc/passwd
    sort -k /etc/passwd
    sort --parallel ../x
    grep -m /etc/passwd
  `),
  )('takes no value that its option cannot have: %s', (command) => {
    expect(verdictOf(command)).toBe('deny');
  });

  it.each(Object.entries(LONG_OPTIONS))(
    'has no option, in full or shortened, that lets %s open a file',
    (name, options) => {
      const opened = options
        .split(' ')
        .flatMap((option) =>
          Array.from(option, (_, i) => `--${option.slice(0, i + 1)}`).flatMap((given) =>
            [`${given}=1 x`, `${given} 1 x`, `${given} -- x`, `${given}= x`, `${given}=1 ./x`].filter(
              (rest) => verdictOf(`${name} ${rest}`) === 'allow',
            ),
          ),
        );
      expect(opened).toEqual([]);
    },
  );

  it('is in a trusted folder', () => {
    const command = '/usr/local/bin/head -n 1';
    const answer = (safeBinTrustedDirs: readonly string[]) =>
      judge(command, rules({ safeBins: ['head'], safeBinTrustedDirs }), machine(), '/').verdict;
    expect([answer([]), answer(['/usr/local/bin'])]).toEqual(['deny', 'allow']);
  });
});
