// biome-ignore-all lint/suspicious/noTemplateCurlyInString: a shell replaces them
import { describe, expect, it } from 'vitest';
import { matchPattern, patternProblem } from '../../src/policy/argument-pattern.ts';
import { requiredTexts } from '../../src/policy/argument-pattern.ts';
import { decide } from '../../src/policy/decide.ts';
import { matchesGlob } from '../../src/policy/glob.ts';
import { judge } from '../../src/policy/judge.ts';
import { checkRules } from '../../src/policy/rules/rules-check.ts';
import type { AllowlistEntry, Rule } from '../../src/wire/policy.ts';
import { fc } from '../support/property.ts';
import { ask, machine, rules } from './machine.ts';
import { processorMs } from '../support/patience.ts';

const judged = (command: string, allowlist: readonly AllowlistEntry[], deny: readonly Rule[] = [], cwd = '/home/u') =>
  judge(command, rules({ allowlist, deny }), machine(), cwd);

describe('the identity of a program', () => {
  it.each<[string, string, boolean]>([
    ['ls', '/usr/bin/ls', true],
    ['/usr/bin/ls', '/usr/bin/ls', true],
    ['/usr/bin/../bin/ls', '/usr/bin/ls', true],
    ['ls', '/usr/bin/*', true],
    ['ls', '/usr/bin/l?', true],
    ['ls', '/usr/*/ls', true],
    ['ls', '/usr/**/ls', true],
    ['ls', '/**', true],
    ['python3 x.py', '/usr/bin/python3', true],
    ['python3 x.py', '/usr/bin/python3.11', true],
    ['python3 x.py', '/usr/bin/python*', true],
    ['npm ls', '/usr/bin/npm', true],
    ['pgrep x', '/usr/bin/pgrep', true],
    ['/opt/box/ls', '/opt/box/ls', true],
    ['pkill x', '/usr/bin/pgrep', false],
    ['reboot', '/usr/bin/systemctl', false],
    ['/opt/box/ls', '/usr/bin/busybox', false],
    ['/opt/box/sh', '/opt/box/sh', false],
    ['ls', 'ls', false],
    ['ls', '*', false],
    ['ls', '**', false],
    ['ls', '', false],
    ['ls', './ls', false],
    ['ls', '~/ls', false],
    ['ls', '/USR/BIN/LS', false],
    ['ls', '/usr/bin/LS', false],
    ['ls', '/usr/*', false],
    ['ls', '/usr/bin', false],
    ['ls', '/usr/bin/', false],
    ['ls', '/bin/ls ', false],
    ['/usr/bin/LS', '/usr/bin/ls', false],
    ['/tmp/x/ls', '/usr/bin/ls', false],
    ['ls/../id', '/usr/bin/ls', false],
    ['/tmp/x/head x.py', '/tmp/x/head', true],
    ['/tmp/x/head x.py', '/usr/bin/head', false],
  ])('%s with the entry %j runs: %s', (command, pattern, runs) => {
    expect(judged(command, [{ pattern }]).verdict === 'allow').toBe(runs);
  });

  it('explains why a bare name never matches', () => {
    expect(judged('ls', [{ pattern: 'ls' }]).hint).toBe(
      'the entry "ls" is a bare name and never matches; write /usr/bin/ls',
    );
  });
});

describe('rules about arguments', () => {
  const git = (rest: Partial<AllowlistEntry>): AllowlistEntry => ({ pattern: '/usr/bin/git', ...rest });
  it.each<[string, Partial<AllowlistEntry>, boolean]>([
    ['git log', { args: ['log', 'status'] }, true],
    ['git log --oneline', { args: ['log', 'diff --stat'] }, true],
    ['git diff --stat x', { args: ['log', 'diff --stat'] }, true],
    ['git diff', { args: ['diff --stat'] }, false],
    ['git -C x log', { args: ['log'] }, false],
    ['git --no-pager log', { args: ['log'] }, false],
    ['git logx', { args: ['log'] }, false],
    ["git 'log x'", { args: ['log x'] }, false],
    ['git push', { args: ['log'] }, false],
    ['git log', { args: [] }, false],
    ['git log -n 5', { argPattern: 'log -n \\d+' }, true],
    ['git log -n 5 x', { argPattern: 'log -n \\d+' }, false],
    ['git xlog -n 5', { argPattern: 'log -n \\d+' }, false],
    ["git log 'a\nb'", { argPattern: 'log .*' }, false],
    ['git log', { argPattern: '(' }, false],
    ['git log', { argPattern: 'x|log' }, true],
    ['git log x', { argPattern: 'x|log' }, false],
    ['git log', { argPattern: '(l+)+og' }, false],
    ['git log', { argv: ['log'], cwd: '/home/u' }, true],
    ['git log x', { argv: ['log'], cwd: '/home/u' }, false],
    ['git log', { argv: ['log'], cwd: '/other' }, false],
    ['git log -c a', { argv: ['log', '-c', 'a'] }, true],
    ['git -c a=b log', { argv: ['-c', 'a=b', 'log'] }, true],
    ['git -c a=b log', {}, false],
  ])('%s with %j runs: %s', (command, rest, runs) => {
    expect(judged(command, [git(rest)]).verdict === 'allow').toBe(runs);
  });

  it.each([
    ['(a+)+', 'repeats a group'],
    ['(a|b)*', 'repeats a group'],
    ['(a?){20}', 'repeats a group'],
    ['((a*))*', 'repeats a group'],
    ['(a)\\1', 'back reference'],
    ['(?=a)a', 'looks ahead'],
    ['(?<!a)a', 'looks ahead'],
    ['a{1000}', 'more than 100'],
    ['a?'.repeat(17), 'optional parts'],
    ['a*'.repeat(9), '8 repetitions'],
    ['x'.repeat(501), 'longer than'],
    ['(', 'not a regular expression'],
  ])('refuse the expression %s', (pattern, problem) => {
    expect(patternProblem(pattern)).toContain(problem);
  });

  it('answer within a bounded time whatever is asked', () => {
    const started = processorMs();
    for (const pattern of ['.*.*.*x', 'a*a*a*a*b', '(?:a?b?c?d?)x', '.*a.*b.*c.*d.*e.*f.*g.*h'])
      for (const size of [10, 100, 1_000, 10_000]) matchPattern(pattern, 'a'.repeat(size));
    expect(processorMs() - started).toBeLessThan(20_000);
  });

  it('do not try a text that lacks what every match has', () => {
    const long = 'a'.repeat(9_000);
    expect(matchPattern('.*push.*--force.*', `commit -m ${long}`)).toBe('no-match');
    expect(matchPattern('.*push.*--force.*', `--force ${long} push`)).toBe('unanswerable');
    expect(matchPattern('.*push.*', `push ${long}`)).toBe('match');
  });

  it.each<[string, readonly string[]]>([
    ['.*push.*--force.*', ['push', '--force']],
    ['(a|b)cd?e+f', ['c', 'e', 'f']],
    ['a|b', []],
    ['\\.ab[c\\]d]ef\\w', ['.ab', 'ef']],
    ['\\p{L}ab', []],
    ['ab{2,3}c(?:de)*', ['a', 'c']],
  ])('in %s each match has %j', (pattern, texts) => {
    expect(requiredTexts(pattern)).toEqual(texts);
  });

  it('match globs like a search over all ways to share the segments', () => {
    const segment = fc.constantFrom('a', 'b', 'ab', 'aab');
    const piece = fc.constantFrom('a', 'b', 'ab', '*', '**', '?', 'a*', '*b', '?b');
    const slow = (p: readonly string[], s: readonly string[]): boolean => {
      if (p.length === 0) return s.length === 0;
      if (p[0] === '**') return slow(p.slice(1), s) || (s.length > 0 && slow(p, s.slice(1)));
      const one = new RegExp(`^${p[0]!.replaceAll('*', '.*').replaceAll('?', '.')}$`);
      return s.length > 0 && one.test(s[0]!) && slow(p.slice(1), s.slice(1));
    };
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 5 }), fc.array(segment, { maxLength: 5 }), (p, s) => {
        expect(matchesGlob(['', ...p].join('/'), ['', ...s].join('/'))).toBe(slow(['', ...p], ['', ...s]));
      }),
    );
  });
});

describe('deny rules', () => {
  const everything: readonly AllowlistEntry[] = [{ pattern: '/**' }];
  const rm: readonly Rule[] = [{ pattern: '/usr/bin/rm', reason: 'use trash' }];
  it.each([
    'rm x',
    '/usr/bin/rm x',
    "'rm' x",
    'r\\m x',
    'ls | rm x',
    'env rm x',
    'nice -n 5 rm x',
    'timeout 5 env rm x',
    'env A=1 rm x',
    "env -S 'rm x'",
    'sudo rm x',
    'sudo -u root rm x',
    'xargs rm',
    'find . -exec rm {} +',
    "sh -c 'rm x'",
    "bash -lc 'ls; rm x'",
    "su -c 'rm x'",
    'busybox rm x',
    'watch rm x',
    "watch 'rm x'",
    'setsid rm x',
    'ls; rm x',
    'ls && rm x',
    'ls $(rm x)',
    '(rm x)',
    'for i in 1; do rm x; done',
    'f() { rm x; }; f',
    'if ls; then rm x; fi',
    'echo "$(rm x)"',
    'cat <(rm x)',
    'time rm x',
    'command rm x',
    'exec rm x',
    "eval 'rm x'",
    'A=1 rm x',
    'rm x > y',
    '! rm x',
    "trap 'rm x' EXIT",
    'coproc rm x',
    'ls `rm x`',
    'echo ${x:-$(rm x)}',
    'case x in x) rm x;; esac',
    'cat <<< "$(rm x)"',
    'sudo sh -c "ls; rm x"',
  ])('win over everything and see through: %s', (command) => {
    expect(judged(command, everything, rm)).toMatchObject({
      verdict: 'deny',
      code: 'deny-rule',
      reason: expect.stringContaining('use trash'),
    });
  });

  it.each(['echo rm', 'ls rm', "grep 'rm x' y", 'cat rm'])('ignore arguments that name no program: %s', (command) => {
    expect(judged(command, everything, rm).verdict).toBe('allow');
  });

  it('look past options in front of a sub-command', () => {
    const push: readonly Rule[] = [{ pattern: '/usr/bin/git', args: ['push'] }];
    const codes = ['git push', 'git -C x push', 'git --no-pager push', 'git -c a=b push', 'git log push'].map(
      (command) => judged(command, everything, push).code,
    );
    expect(codes).toEqual(['deny-rule', 'deny-rule', 'deny-rule', 'deny-rule', 'allowlisted']);
  });

  it('count as matching where their expression cannot be answered', () => {
    expect(judged('rm x', everything, [{ pattern: '/usr/bin/rm', argPattern: '(a+)+' }]).code).toBe('deny-rule');
  });

  it.each([
    '$x y',
    '"$x"',
    '$(echo rm) x',
    'eval "$x"',
    'PATH=/tmp ls',
    '. ./x',
    'alias ls=rm',
    'sudo "$x"',
    'ls 2>(rm)',
    'echo rm x | sh',
    "bash <<< 'rm x'",
    'bash <<E\nrm x\nE',
    'sh -s <<E\nrm x\nE',
    'cat <<E | sh\nrm x\nE',
    'echo rm x | bash -o pipefail -x',
    'echo rm x | sh /dev/stdin',
    'echo rm x | sudo -u me sh',
    'echo rm x | env bash -',
    // A7: a shell runs what it calculates.
    "x='a[$(rm v)]'; echo $((x))",
    "(( 'a[$(rm v)]' ))",
    '((x))',
    'echo $[x]',
    "y=abc; x='a[$(rm v)]'; echo ${y:x}",
    "x='a[$(rm v)]'; echo ${!x}",
    'a[x]=1',
    'a=([x]=1)',
    "for ((i='a[$(rm v)]';;)); do ls; done",
    "printf -v 'a[$(rm v)]' x; ls",
    'printf "$x" y; ls',
    "test -v 'a[$(rm v)]' && ls",
    "[ -v 'a[$(rm v)]' ] && ls",
    "builtin test -v 'a[$(rm v)]'; ls",
    '[ $x = b ] && ls',
    '[ "$x" "$y" ] && ls',
    "[[ -v 'a[$(rm v)]' ]]",
    "[[ 'a[$(rm v)]' -eq 1 ]]",
    "wait -p 'a[$(rm v)]'; ls",
    "x='$(rm v)'; echo ${x@P}",
    'for PATH in /tmp/x; do ls; done',
    'ls {PATH}> y',
    'echo ${BASH_ENV:=x}',
    'select x in a; do ls; done',
    // A7: commands before it may change what it means.
    '/tmp/x/head y; ln -sf /usr/bin/rm /tmp/x/head; /tmp/x/head y',
    'cp y z && /tmp/x/head y',
    'touch y; env /tmp/x/head y',
    "ln -sf a b; bash -c '/tmp/x/head y'",
    'for i in 1 2; do /tmp/x/head y; ln -sf a b; done',
    '/opt/box/ls $(cp a b)',
    "printf '[core]' >> .git/config; git status",
    'git status > .git/config',
    'git add nested && git status',
    'git -C log add nested && git -C log status',
    'cp a b; timeout 5 git status',
    'cd sub; cd ..; git status',
    'cd "$x" && git status',
    'cd sub && ./ls v',
    // A7: the folder of `cd` is certain in one form only.
    '(cd /usr); git status',
    'case x in y) cd /usr;; esac; git status',
    'if false; then cd /usr; fi; git status',
    'cd /usr; git status',
    'cd /usr || git status',
    'cd /usr && ls; git status',
    'cd /usr & git status',
    'cd /usr 2> /none/x; git status',
    'cd /usr < none && git status',
    'CDPATH=/x cd usr && git status',
    'cd link/.. && git status',
    'cd /usr/../usr && git status',
    'cd none && git status',
    'cd && git status',
    'cd - && git status',
    'cd /usr && cd /lib && git status',
    // A7: a function that has the name of a plain program.
    `echo() { test "$@"; }; echo -v 'a[$(rm v)]'`,
    `ls() { [ "\${@}" ]; }; ls -v 'a[$(rm v)]'`,
    `ls() { [ "\${x[@]}" ]; }; ls`,
    `ls() { [ "\${!x}" ]; }; ls`,
    // A7: a format that sets a variable.
    'printf x%n PATH; ls v',
    'printf x%5ln PATH && ls v',
    "printf '%(a)T%n' -1 PATH; ls v",
    'printf "$x" PATH; ls v',
    'printf -v PATH x; ls v',
  ])('report when they cannot be decided: %s', (command) => {
    expect(judged(command, everything, rm)).toMatchObject({ verdict: 'deny', unknownNames: expect.any(String) });
  });
});

it.each(['cp a b | git status', 'tee b | /opt/x/tool'])(
  'A4: asks where an earlier stage may change files: %s',
  (command) => {
    const everything = [{ pattern: '/**', arguments: 'any' as const }];
    expect(judged(command, everything)).toMatchObject({ verdict: 'ask', code: 'project-code', explicit: true });
    expect(judged(command, everything, [{ pattern: '/usr/bin/rm' }])).toHaveProperty('unknownNames');
  },
);

it.each(['git log | sort | uniq -c | head', 'git diff | grep x | wc -l', 'ls | timeout 5 head'])(
  'allows stages that change no file beside git: %s',
  (command) => {
    expect(judged(command, [{ pattern: '/**' }]).verdict).toBe('allow');
  },
);

describe('deny rules and shells', () => {
  it.each([
    "sh -c 'ls x'",
    'bash --version',
    'git checkout bash; ls',
    'cd x && ls',
    'cd /usr && git status',
    'cd ./sub/. && git status && git log',
    'printf "%-5s %05.2f%%" a 1 && ls',
    'git commit -m x && git push',
    'git status; mkdir x; ls',
    'if [ -f x ]; then cat x; fi',
    'if [[ -f x && "$y" == z ]]; then cat x; fi',
    '[ "$x" = y ] || echo no',
    'x=1; echo "$x" ${x:-y} ${x%.txt} ${x:0:3} $((1 + 2))',
    'printf "%s\n" "$x"',
    'ls > /dev/null 2>&1; git log',
    'git status',
    'nice -n 5 ls',
    'tar tf a.tar',
  ])('see through %s', (command) => {
    const known = judged(command, [], [{ pattern: '/usr/bin/rm' }]);
    if (command.startsWith('tar')) expect(known).toHaveProperty('unknownNames');
    else expect(known).not.toHaveProperty('unknownNames');
  });

  const inOtherShell = (command: string) =>
    judge(command, rules({ deny: [{ pattern: '/usr/bin/rm' }] }), machine(), '/home/u', undefined, false);

  it.each([
    'echo a &>f rm v',
    'echo a &>>f rm v',
    'echo a |& cat',
    String.raw`echo $'\'; rm v #'`,
    'cat <<"E\nF"\nE\nF\n rm v',
    'cat <<<E',
    '[[ a ]]',
    'echo "$x"',
    'if ls; then ls; fi',
    'ls <> f',
  ])('refuse text that depends on the shell where bash does not run it: %s', (command) => {
    expect(inOtherShell(command)).toHaveProperty('unknownNames');
  });

  it.each(['ls', 'ls -l > f 2>&1', 'cat < a | wc -l && ls || ls; ls', '! grep \'a b\' "c" >> f'])(
    'where no bash reads the text, see through what all shells read alike: %s',
    (command) => {
      expect(inOtherShell(command)).not.toHaveProperty('unknownNames');
    },
  );

  it.each([
    'ssh -o ProxyCommand="rm v" h',
    '/lib64/ld-linux-x86-64.so.2 /usr/bin/rm v',
    "git -c alias.x='!rm v' x",
    "tar -cf /dev/null v --checkpoint=1 --checkpoint-action='exec=rm v'",
    'bash x.sh',
    'sh s.sh',
    'bash -eo pipefail s.sh',
    'ln -s /usr/bin/rm q && ./q v',
    'python3 x.py',
    'make clean',
    'npm test',
    'awk "BEGIN{system(0)}"',
    'sed -i s/a/b/e f',
    'nosuch v',
    'export PATH=.; v',
    'GIT_PAGER=x git log',
    'sort --compress-program=x a',
    'timeout 5 python3 x.py',
    'sh -c python3',
  ])('A7: refuse what they cannot analyse: %s', (command) => {
    const judgement = decide({ security: 'full', ask: 'off' }, judged(command, [], [{ pattern: '/usr/bin/rm' }]));
    expect(judgement.verdict).toBe('deny');
  });

  it.each([
    'rm -rf build',
    'rm -fr build',
    'rm -r -f build',
    'rm -f build -r',
    'rm -Rf build',
    'rm --recursive --force build',
    'rm --rec --fo build',
    'rm --force -r build',
    'nice rm --recursive --force build',
  ])('A7: take every spelling of an option for the same: %s', (command) => {
    for (const rule of [{ args: ['-rf'] }, { argPattern: '-rf .*' }, { args: ['--recursive --force'] }])
      expect(judged(command, [], [{ pattern: '/usr/bin/rm', ...rule }])).toMatchObject({ code: 'deny-rule' });
  });

  it('deny where all spellings of a long call would take too long to compare', () => {
    const rule = { pattern: '/usr/bin/rm', argPattern: '.*a.*b' };
    expect(judged(`rm -f -r -i -v b ${'a'.repeat(9_000)}`, [], [rule])).toMatchObject({ code: 'deny-rule' });
    expect(judged(`rm -f -r -i -v ${'a'.repeat(9_000)}`, [], [rule])).not.toMatchObject({ code: 'deny-rule' });
  });

  it('report a text with more commands than they check', () => {
    const rule = { pattern: '/usr/bin/rm' };
    expect(judged(`${'ls;'.repeat(300)}rm x`, [], [rule])).toMatchObject({ code: 'deny-rule' });
    expect(judged(`${'ls;'.repeat(400)}rm x`, [], [rule])).toMatchObject({
      verdict: 'deny',
      unknownNames: 'it has more commands than pincer analyses',
      explicit: true,
    });
  });

  it.each(['rm a', 'rm -r a', 'rm -f a', 'rm --verbose a', 'rm -- -rf', 'rm -i a'])(
    'stay silent about %s',
    (command) => {
      for (const rule of [{ args: ['-rf'] }, { argPattern: '-rf .*' }])
        expect(judged(command, [], [{ pattern: '/usr/bin/rm', ...rule }])).not.toMatchObject({ code: 'deny-rule' });
    },
  );
});

describe('the check of rules', () => {
  it('finds every flaw with its rule', () => {
    const given: readonly Rule[] = [
      { pattern: 'ls' },
      { pattern: '/usr/bin/git', argPattern: '(' },
      {
        pattern: '/usr/bin/git',
        args: ['log'],
        match: ['git log --oneline', 'git -C x log', 'git push'],
        notMatch: ['git push', 'git log'],
      },
      { pattern: '/usr/**/ls', match: ['ls -la', '/usr/local/bin/ls', 'ls; id'], notMatch: ['cat'] },
      { pattern: '/usr/bin/ls', args: [' '] },
      { pattern: '/usr/bin/id', match: ['id', 'ls | id'], notMatch: ['/tmp/id'] },
    ];
    expect(checkRules(given).map(({ index, message }) => [index, message])).toEqual([
      [0, 'the pattern "ls" is not an absolute path and never matches; write the full path, as in /usr/bin/ls'],
      [1, expect.stringMatching(/^argPattern "\(" is not a regular expression/)],
      [2, 'the example "git -C x log" must match and does not'],
      [2, 'the example "git push" must match and does not'],
      [2, 'the example "git log" must not match and does'],
      [
        3,
        'the example "ls; id" must match and does not: ; chains commands, and only single pipelines are run without asking',
      ],
      [4, 'args contains an empty prefix, which matches nothing'],
    ]);
    expect(checkRules([{ pattern: '/usr/bin/git', args: ['push'], match: ['git -C x push'] }], 'deny')).toEqual([]);
  });
});

describe('a proposal', () => {
  it('is this program with these arguments in this folder', () => {
    expect(ask('ls -la | id', ['ls']).proposal).toEqual([
      { pattern: '/usr/bin/id', argv: [], cwd: '/home/u', source: 'allow-always' },
    ]);
    expect(ask('nice id -u').proposal).toEqual([
      { pattern: '/usr/bin/id', argv: ['-u'], cwd: '/home/u', source: 'allow-always' },
    ]);
    expect(ask('env -i id -u').proposal).toEqual([
      { pattern: '/usr/bin/env', argv: ['-i', 'id', '-u'], cwd: '/home/u', source: 'allow-always' },
      { pattern: '/usr/bin/id', argv: ['-u'], cwd: '/home/u', source: 'allow-always' },
    ]);
  });

  it.each(['id', 'ls -la | id', 'nice id -u', 'npm run build', 'tar xf a --to-command=x', 'git x', 'env nice id'])(
    'lets the same command pass the next time, and no other: %s',
    (command) => {
      const { proposal } = ask(command, ['ls']);
      const allowlist = [{ pattern: '/usr/bin/ls' }, ...proposal!];
      const next = [
        judged(command, allowlist).verdict,
        judged(`${command} x`, allowlist).verdict,
        judged(command, allowlist, [], '/other').verdict,
      ];
      expect(next).toEqual(['allow', expect.not.stringMatching('allow'), expect.not.stringMatching('allow')]);
    },
  );

  it.each([
    'python3 -c 1',
    'sh -c id',
    'sudo id',
    'ls; id',
    'env A=1 id',
    'head x | id',
    'missing',
    'id | sh',
    'busybox id',
  ])('does not exist for %s', (command) => {
    expect(ask(command, [], ['head']).proposal).toBeUndefined();
  });
});

describe('a wrapper', () => {
  it.each([
    'env git log',
    'env -v git log',
    'nice git log',
    'nice -n 5 git log',
    'nohup git log',
    'timeout 5 git log',
    'timeout -k 1 -s KILL 5 git log',
    'stdbuf -oL git log',
    'nice timeout 5 env git log',
  ])('of the system adds nothing to what it starts: %s', (command) => {
    const allowlist = [{ pattern: '/usr/bin/git', args: ['log'] }];
    const verdicts = [command, command.replace('log', 'push')].map((one) => judged(one, allowlist).verdict);
    expect(verdicts).toEqual(['allow', 'ask']);
  });

  it.each([
    ['by itself', 'nice'],
    ['that sets a variable', 'env A=1 ls'],
    ['that takes all variables away', 'env -i ls'],
    ['that takes a variable away', 'env -u HOME ls'],
    ['that takes a variable away by a long option', 'env --unset=HOME ls'],
    ['with an option that is not known', 'timeout --what 5 ls'],
    ['of somebody else', '/tmp/x/nice ls'],
    ['in a folder that is not trusted', '/opt/nice ls'],
  ])('%s does not pass for what it starts', (_, command) => {
    expect(ask(command, ['ls']).verdict).not.toBe('allow');
  });

  it('in a folder that the operator trusts is one of the system', () => {
    const parts = { allowlist: [{ pattern: '/usr/bin/ls' }], safeBinTrustedDirs: ['/opt'] };
    expect(judge('/opt/nice ls', rules(parts), machine(), '/').verdict).toBe('allow');
  });
});

describe('a miss', () => {
  it.each<[string, AllowlistEntry, string]>([
    [
      'du -a',
      { pattern: '/usr/bin/du', args: ['-s', '-h'] },
      'the entry for /usr/bin/du allows `-s` or `-h`, not `-a`',
    ],
    ['du', { pattern: '/usr/bin/du', argv: ['-s', 'x'] }, 'the entry for /usr/bin/du allows `-s x`, not no arguments'],
    ['du -a', { pattern: '/usr/bin/d*', argv: [] }, 'the entry for /usr/bin/d* allows no arguments, not `-a`'],
    [
      'du -a',
      { pattern: '/usr/bin/du', argPattern: '-s.*' },
      'the entry for /usr/bin/du allows what matches /-s.*/, not `-a`',
    ],
    [
      'du -a',
      { pattern: '/usr/bin/du', argv: ['-s'], cwd: '/p' },
      'the entry for /usr/bin/du allows `-s` in /p, not `-a`',
    ],
    [
      'du -a',
      { pattern: '/usr/bin/du', argv: ['-a'], cwd: '/p' },
      'the entry for /usr/bin/du applies in /p, not in /home/u',
    ],
    ['du -a', { pattern: 'du' }, '/usr/bin/du is not on the allowlist'],
    ['du -a', { pattern: '/usr/bin/df' }, '/usr/bin/du is not on the allowlist'],
  ])('of %s shows what the entry %j allows', (command, entry, reason) => {
    expect(judged(command, [entry])).toMatchObject({ verdict: 'ask', code: 'allowlist-miss', reason });
  });
});

describe('a plan', () => {
  it('contains the absolute path and the identity of what a wrapper starts', () => {
    const { plan } = ask('nice -n 5 python3 x.py | cat', ['nice', 'python3', 'cat']);
    expect(
      plan?.stages.map(({ argv, binary, starts }) => [argv, binary.real, starts?.map(({ real }) => real)]),
    ).toEqual([
      [['nice', '-n', '5', '/usr/bin/python3.11', 'x.py'], '/usr/bin/nice', ['/usr/bin/python3.11']],
      [['cat'], '/usr/bin/cat', undefined],
    ]);
  });

  it('exists where the words are known, not where a program is missing', () => {
    expect([
      ask('id').plan === undefined,
      ask('sh -c id').plan === undefined,
      ask('missing').plan === undefined,
      ask('ls; id').plan === undefined,
    ]).toEqual([false, false, true, true]);
  });
});
