import { describe, expect, it } from 'vitest';
import { judge, judgeCall } from '../../../src/policy/judge.ts';
import type { Judgement, Lookup, Rules } from '../../../src/wire/policy.ts';
import { machine, rules, table } from '../machine.ts';

const NAMES: Readonly<Record<string, readonly string[]>> = {
  '/home/u': ['a.ts', 'b.ts', '-rf', '.hidden', 'sub'],
  '/home/u/sub': ['c.ts'],
};

/** The machine of the other tests, with names for patterns. */
function withNames(folder = '/home/u'): Lookup {
  return {
    ...machine(folder),
    from: withNames,
    names: (path) => ({ names: NAMES[path.replace(/\/$/u, '')] ?? [] }),
    placeOf: (path) => new URL(path, 'file:///').pathname.replace(/(?<=.)\/$/u, ''),
  };
}

function judged(command: string, more: Partial<Rules> = {}): Judgement {
  return judge(command, rules({ compound: 'steps', starter: 'workspace', ...more }), withNames(), '/home/u');
}

/** `code of what asks, or what runs ¦ command` */
const ROWS = table(String.raw`
  // Status, operators and pipes
  ls ; cat a ¦ ls; cat a
  ls ; cat a ; wc -l ¦ ls && cat a || wc -l
  ls ; cat a ¦ ! ls; cat a
  ls | wc -l ¦ ls | wc -l
  ls | cat ; wc ¦ ls |& cat; wc
  // cd: every folder where a step may run
  cat c ¦ cd sub && cat c
  cat c ¦ cd sub; cat c
  cd-outside ¦ cd ..; ls
  cd-outside ¦ cd /; ls
  cd-outside ¦ cd sub/../.. && ls
  cd-outside ¦ cd ~/.. && ls
  read-outside ¦ cd sub; cat ../../x
  read-outside ¦ cd sub && cat ../../x
  cat ../x ¦ cd sub && cat ../x
  read-outside ¦ cd sub; cat ../x
  too-many-folders ¦ cd a; cd b; cd c; ls
  ls ¦ cd a && cd b && cd c && ls
  // Constants and variables
  echo a b ¦ v='a b'; echo "$v"
  echo 1 ¦ v=1; echo $v
  cat sub/x ¦ d=sub; cat $d/x
  cat sub/x ¦ d=sub; cat ${'$'}{d}/x
  cat sub/x ; ls ¦ D=sub; cat "$D/x"; ls
  echo /home/u ¦ cd sub || echo $PWD
  echo /home/u/sub ¦ cd sub && echo $PWD
  cat /home/u/x ¦ cat ~/x
  cat /home/u/x ¦ cat $HOME/x
  echo 0 ¦ echo $?
  status-value ¦ cat $?
  environment ¦ NOPE=1 ls; ls
  ls ¦ LANG=C ls
  // Patterns
  ls a.ts b.ts ¦ ls *.ts
  ls sub/c.ts ¦ ls sub/*
  ls sub/c.ts ¦ ls */c.ts
  ls ./-rf a.ts b.ts sub ¦ ls *
  ls ./-rf ¦ ls -*
  ls *.none ¦ ls *.none
  ls *.ts ¦ ls '*.ts' > x
  // Here-documents and redirections
  cat ¦ cat <<E${'\u0020'}⏎x⏎E
  cat ¦ cat <<< x
  cat ¦ cat < a
  read-outside ¦ cat < /etc/passwd
  read-secret ¦ cat < .env
  ls ¦ ls > out
  ls ¦ ls 2>/dev/null
  ls ¦ ls > /dev/null 2>&1
  ls ¦ ls &> out
  ls ¦ ls >> sub/out
  write-outside ¦ ls > /etc/x
  write-outside ¦ ls > ../x
  write-outside ¦ cd sub && ls > ../../x
  write-git ¦ ls > .git/config
  write-git ¦ cd .git; ls > hooks/x
  echo it's ¦ echo "$(cat <<'E'⏎it's⏎E⏎)"
  // Built-ins
  true ; ls ¦ :; ls
  printf %s\n /usr/bin/ls ¦ command -v ls
  false ¦ command -v missing
  // Verbs
  mkdir -p a/b ¦ mkdir -p a/b
  rm -r sub ¦ rm -r sub
  write-outside ¦ rm -r ../x
  write-git ¦ rm -r .git
  write-workspace ¦ rm -rf .
  write-workspace ¦ cd sub && rm -rf ..
  write-workspace ¦ rm -rf "$PWD"
  rm ./-rf a.ts b.ts sub ¦ rm *
`);

describe('a compound command', () => {
  it.each(ROWS)('%s', (row) => {
    const [expected, line] = row.split(' ¦ ') as [string, string];
    const { verdict, code, plan, stages } = judged(line.replaceAll('⏎', '\n'));
    const runs = (plan?.stages ?? [])
      .map(
        ({ argv }, i) => `${i === 0 ? '' : stages[i]?.step === stages[i - 1]?.step ? ' | ' : ' ; '}${argv.join(' ')}`,
      )
      .join('');
    expect(verdict === 'allow' ? runs : code).toBe(expected);
  });

  it.each(['timeout 5 rm x; ls', 'find . -exec rm {} + ; ls', 'ls | xargs rm', 'nice mkdir x; ls'])(
    'asks where another program would write, not the file boundary: %s',
    (command) => {
      expect(judged(command).verdict).not.toBe('allow');
    },
  );

  it.each([
    ['a verb replaces the script', 'cp a.ts gen.py | python3 gen.py', 'project-code'],
    ['tee writes before the script starts', 'cat a.ts | tee gen.py | python3 gen.py', 'project-code'],
    ['tee writes what the script prints', 'python3 gen.py | tee out.txt', 'pipe'],
    ['nothing is written', 'cat a.ts | python3 gen.py | cat', 'pipe'],
  ])('holds the commands of a pipeline against each other: %s', (_, command, code) => {
    const { verdict, code: found } = judged(command, { allowlist: [{ pattern: '/usr/bin/python3' }] });
    expect(verdict === 'allow' ? 'pipe' : found).toBe(code);
  });

  it('enters a folder that a rule lets commands read, and changes nothing there', () => {
    const allowlist = [{ pattern: '/srv/notes', access: 'read' as const }, { pattern: '/usr/bin/python3' }];
    const codes = [
      'cd /srv/notes && cat a',
      'cd /srv/notes && ls > x',
      'cd /srv/notes && python3 a.py',
      'cd /srv && ls',
    ].map((command) => judged(command, { allowlist }).code);
    expect(codes).toEqual(['folder', 'write-outside', 'outside-workspace', 'cd-outside']);
  });

  it('does a bounded amount of work for patterns', () => {
    const names = Array.from({ length: 900 }, (_, i) => `${i}`);
    let listed = 0;
    const full = (folder: string): Lookup => ({
      ...withNames(folder),
      from: full,
      isFolder: () => true,
      names: () => {
        listed++;
        return { names };
      },
    });
    const command = Array.from({ length: 60 }, () => 'true */*').join(';');
    const { code, reason } = judge(command, rules({ compound: 'steps', starter: 'read' }), full('/home/u'), '/home/u');
    expect({ code, reason }).toEqual({ code: 'expansion', reason: expect.stringContaining('too many names') });
    expect(listed).toBeLessThan(1_100);
  });

  it('asks once and marks only the steps that ask', () => {
    const { verdict, code, stages, plan, at } = judged('ls; foo x; cat a && bar');
    expect({
      verdict,
      code,
      at,
      steps: stages.map(({ step, verdict: own }) => `${step} ${own}`),
      plan: plan?.steps?.length,
    }).toEqual({
      verdict: 'ask',
      code: 'allowlist-miss',
      at: { start: 4, end: 7 },
      steps: ['0 allow', '1 ask', '2 allow', '3 ask'],
      plan: 4,
    });
  });

  it('applies deny rules to all steps, also where a shell would read the text', () => {
    const deny = [{ pattern: '/usr/bin/foo' }];
    for (const command of ['ls; foo', 'ls > /etc/x; foo', 'false && foo', 'c=foo; $c', 'for i in a; do foo; done'])
      expect({ command, code: judged(command, { deny }).code }).toEqual({ command, code: 'deny-rule' });
  });

  it('has no plan where the file boundary would refuse a file: after approval, a shell reads it', () => {
    for (const command of ['ls > /etc/x', 'cd ..; ls', 'rm -r .git', 'ls; missing'])
      expect({ command, plan: judged(command).plan }).toEqual({ command, plan: undefined });
    expect(judged('ls; foo').plan?.steps).toHaveLength(2);
  });

  it('runs a program that an entry allows where the file boundary does not write', () => {
    const { verdict, plan } = judged('rm ../x; rm x', { allowlist: [{ pattern: '/usr/bin/rm' }] });
    expect([verdict, plan?.stages.map(({ verb }) => verb)]).toEqual(['allow', [undefined, 'rm']]);
  });

  it('has a plan without steps where it is one pipeline of plain words', () => {
    expect(judged('ls -la | head -3').plan).toEqual({ stages: [expect.anything(), expect.anything()] });
    expect(judged('mkdir x').plan?.steps).toHaveLength(1);
  });

  it('is judged as without steps where compound is ask, or where another shell reads it', () => {
    const here = rules({ starter: 'workspace' });
    expect(judge('cd sub && ls', here, withNames(), '/home/u').code).toBe('chaining');
    const foreign = judge('cd sub && ls', { ...here, compound: 'steps' }, withNames(), '/home/u', {
      builtins: new Set(['cd']),
    });
    expect([foreign.code, foreign.plan]).toEqual(['chaining', undefined]);
  });

  it('is covered by no profile where the working folder is outside of the workspace', () => {
    const given = rules({ compound: 'steps', starter: 'workspace' });
    for (const command of ['cat a', 'ls > out', 'cd sub && ls', 'mkdir x']) {
      const call = { command, unlisted: [], pty: false };
      const verdicts = [false, true].map(
        (isOutside) => judgeCall({ ...call, isOutside }, given, withNames(), '/home/u').verdict,
      );
      expect({ command, verdicts }).toEqual({ command, verdicts: ['allow', 'ask'] });
    }
  });

  it('asks for files where starter does not let commands write', () => {
    expect(judged('ls > out', { starter: 'read' }).code).toBe('write');
    expect(judged('ls > /dev/null; ls 2>&1', { starter: 'read' }).verdict).toBe('allow');
  });
});
