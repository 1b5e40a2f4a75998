import { describe, expect, it } from 'vitest';
import { judge } from '../../../src/policy/judge.ts';
import type { Judgement } from '../../../src/wire/policy.ts';
import { machine, rules, table } from '../machine.ts';

const allowlist = ['ls', 'echo', 'cat', 'id', 'git', 'true'].map((name) => ({ pattern: `/usr/bin/${name}` }));

function judged(command: string): Judgement {
  return judge(command, rules({ allowlist, compound: 'steps', starter: 'workspace' }), machine(), '/home/u');
}

/** `code ¦ offending text ¦ command`; in a command, ⏎ is a line end. */
const REFUSED = table(String.raw`
  background ¦ & ¦ ls & id
  background ¦ & ¦ ls &
  control-flow ¦ ;; ¦ ls ;; id
  incomplete ¦ ; ¦ ; ls
  incomplete ¦ ; ¦ ls; ; id
  incomplete ¦ && ¦ ls &&
  incomplete ¦ && ¦ && ls
  incomplete ¦ || ¦ ls; || id
  incomplete ¦ | ¦ ls | | id
  incomplete ¦ | ¦ ls |
  incomplete ¦ ! ¦ !
  incomplete ¦ > ¦ ls >
  incomplete ¦ > ¦ ls > ; id
  incomplete ¦ \ ¦ ls; \
  keyword ¦ for ¦ for i in 1; do id; done
  keyword ¦ if ¦ ls; if true; then id; fi
  keyword ¦ while ¦ while true; do id; done
  keyword ¦ until ¦ until false; do id; done
  keyword ¦ case ¦ case x in x) id;; esac
  keyword ¦ select ¦ select x in a; do id; done
  keyword ¦ function ¦ function ls { id; }
  keyword ¦ time ¦ time id; ls
  keyword ¦ coproc ¦ coproc id
  keyword ¦ { ¦ { id; }
  keyword ¦ ! ¦ ls | ! id
  keyword ¦ ! ¦ ! ! id
  keyword ¦ [[ ¦ [[ -f x ]] && ls
  grouping ¦ ( ¦ (cd a; ls)
  grouping ¦ ( ¦ ls; (id)
  grouping ¦ ( ¦ ls() { id; }
  grouping ¦ ( ¦ ((1)); ls
  grouping ¦ ( ¦ ls +(a) ; id
  substitution ¦ $( ¦ ls; echo $(id)
  substitution ¦ $( ¦ a=$(id)
  substitution ¦ $( ¦ ls > $(id)
  substitution ¦ $( ¦ echo "$(id)" > x
  substitution ¦ $( ¦ echo "$(cat x)" > x
  substitution ¦ $( ¦ echo $(cat <<'E'⏎x⏎E⏎)
  substitution ¦ $( ¦ echo "$(cat <<'E'⏎x⏎E⏎id)"
  substitution ¦ ${'`'} ¦ ls; echo ${'`'}id${'`'}
  substitution ¦ <( ¦ ls; cat <(id)
  substitution ¦ >( ¦ ls > >(id)
  substitution ¦ >( ¦ ls >(id)
  expansion ¦ $NAME ¦ ls; echo $NAME
  expansion ¦ $b ¦ a=1; echo $b
  expansion ¦ $a ¦ echo $a; a=1
  expansion ¦ ${'$'}{a:-x} ¦ a=1; echo ${'$'}{a:-x}
  expansion ¦ ${'$'}{#a} ¦ a=1; echo ${'$'}{#a}
  expansion ¦ ${'$'}{!a} ¦ a=1; echo ${'$'}{!a}
  expansion ¦ $1 ¦ ls; echo $1
  expansion ¦ $@ ¦ ls; echo "$@"
  expansion ¦ $$ ¦ ls; echo $$
  expansion ¦ $! ¦ ls; echo $!
  expansion ¦ $OLDPWD ¦ ls; echo $OLDPWD
  expansion ¦ $? ¦ ls; $? x
  expansion ¦ $? ¦ ls; a=$?
  ansi-quote ¦ $' ¦ ls; echo $'a'
  ansi-quote ¦ $" ¦ ls; echo $"a"
  split ¦ $a ¦ a='x y'; ls $a
  split ¦ $a ¦ a='*'; ls $a
  split ¦ $a ¦ a=; ls $a
  glob ¦ * ¦ ls; */x
  glob ¦ [ ¦ ls [!a] ; id
  glob ¦ [ ¦ ls [b-a] ; id
  glob ¦ [ ¦ ls [[:alpha:]] ; id
  glob ¦ [ ¦ ls [a/b] ; id
  tilde ¦ ~ ¦ ls; ls ~root/x
  tilde ¦ ~ ¦ ls; ls a:~/x
  brace ¦ {a,b} ¦ ls; ls {a,b}
  brace ¦ {1.. ¦ ls; ls {1..3}
  history ¦ !! ¦ ls; ls !!
  conditional-constant ¦ a=1 ¦ ls && a=1; echo $a
  conditional-constant ¦ a=1 ¦ ls || a=1; echo $a
  conditional-constant ¦ a=1 ¦ ! a=1; ls
  conditional-constant ¦ b=2 ¦ a=1 b=2; ls
  conditional-constant ¦ a=1 ¦ ls | a=1
  assignment ¦ a+= ¦ a+=1; ls
  glob ¦ [ ¦ a[0]=1; ls
  assignment ¦ a=1 ¦ a=1
  obeyed-variable ¦ HOME ¦ HOME=/x; ls
  obeyed-variable ¦ IFS ¦ IFS=,; ls
  obeyed-variable ¦ PATH ¦ PATH=/x; ls
  obeyed-variable ¦ LD_PRELOAD ¦ LD_PRELOAD=x ls
  obeyed-variable ¦ PINCER_X ¦ PINCER_X=x ls
  obeyed-variable ¦ GIT_DIR ¦ GIT_DIR=x; git status
  obeyed-variable ¦ BASH_ENV ¦ BASH_ENV=x; ls
  cd-form ¦ cd ¦ cd; ls
  cd-form ¦ - ¦ cd -; ls
  cd-form ¦ -P ¦ cd -P; ls
  cd-form ¦ b ¦ cd a b; ls
  cd-form ¦ * ¦ cd *; ls
  cd-form ¦ '' ¦ cd ''; ls
  cd-form ¦ > x ¦ cd a > x; ls
  cd-form ¦ A=1 ¦ A=1 cd a; ls
  builtin ¦ cd ¦ ls | cd a
  builtin ¦ cd ¦ cd a | ls
  builtin ¦ export ¦ export A=1; ls
  builtin ¦ set ¦ set -e; ls
  builtin ¦ source ¦ source x; ls
  builtin ¦ . ¦ . ./x; ls
  builtin ¦ eval ¦ ls; eval id
  builtin ¦ e\val ¦ ls; e\val id
  builtin ¦ $c ¦ c=eval; $c id
  builtin ¦ exec ¦ ls; exec id
  builtin ¦ trap ¦ trap id EXIT; ls
  builtin ¦ read ¦ ls | read x
  builtin ¦ alias ¦ alias ls=id; ls
  builtin ¦ exit ¦ ls || exit 1
  builtin ¦ command ¦ command id; ls
  builtin ¦ command ¦ command -p id; ls
  builtin ¦ command ¦ command -v ls id; ls
  builtin ¦ command ¦ command -v -p; ls
  builtin ¦ % ¦ ls; %1
  descriptor ¦ 3 ¦ ls 3> x
  descriptor ¦ 0 ¦ ls 0> x
  descriptor ¦ 12 ¦ ls 12> x
  redirection ¦ < ¦ ls 1< x
  redirection ¦ > ¦ ls >| x
  redirection ¦ > ¦ ls >& x
  redirection ¦ > ¦ ls 2>&-
  redirection ¦ > ¦ ls 2>&3
  redirection ¦ > ¦ ls 2>&12
  redirection ¦ < ¦ ls <> x
  redirection ¦ < ¦ ls <& 1
  redirection ¦ & ¦ ls &>> x
  redirection ¦ > ¦ > x
  redirection ¦ > ¦ > x ls
  redirection ¦ > ¦ ls {fd}> x; id
  heredoc ¦ < ¦ cat << "a b"⏎x⏎a b
  heredoc ¦ < ¦ cat 2<<E⏎x⏎E
  heredoc ¦ "$(cat <<'E'⏎x⏎E⏎)" ¦ cat <<E "$(cat <<'E'⏎x⏎E⏎)"⏎y⏎E
  heredoc-expansion ¦ $ ¦ cat <<E⏎$(id)⏎E
  heredoc-expansion ¦ $ ¦ cat <<E⏎$x⏎E
  heredoc-expansion ¦ ${'`'} ¦ cat <<E⏎${'`'}id${'`'}⏎E
  heredoc-expansion ¦ \ ¦ cat <<E⏎a\b⏎E
  heredoc-open ¦ << ¦ cat <<E
  heredoc-open ¦ << ¦ cat <<'E'⏎x
  heredoc-open ¦ << ¦ cat <<'E'⏎x⏎ E
  redirection-target ¦ > *.txt ¦ ls > *.txt
  redirection-target ¦ > $? ¦ ls > $?
  redirection-target ¦ > "" ¦ ls > ""
  unterminated-quote ¦ ' ¦ ls; ls 'x
  unterminated-quote ¦ " ¦ ls > "x
`);

describe('a compound command that does not run as steps', () => {
  it.each(REFUSED)('is refused with its place and advice: %s', (row) => {
    const [code, offending, line] = row.split(' ¦ ') as [string, string, string];
    const command = line.replaceAll('⏎', '\n');
    const { verdict, code: found, at, hint, plan, proposal } = judged(command);
    expect({
      verdict,
      code: found,
      text: command.slice(at?.start, at?.end).replaceAll('\n', '⏎'),
      hint: typeof hint,
      plan,
      proposal,
    }).toEqual({ verdict: 'deny', code, text: offending, hint: 'string', plan: undefined, proposal: undefined });
  });

  it.each<[string, string]>([
    ['too-many-stages', Array.from({ length: 65 }, () => 'ls').join('; ')],
    ['too-many-words', `ls; ls ${'a '.repeat(1_000)}`],
    ['empty', '# only a comment'],
    ['line-continuation', 'ls; ls \\\n-la'],
    ['control-character', 'ls; ls \u001b[2K'],
  ])('%s: %j', (code, command) => {
    expect(judged(command)).toMatchObject({ verdict: 'deny', code, hint: expect.any(String) });
  });
});
