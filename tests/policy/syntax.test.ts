import { describe, expect, it } from 'vitest';
import { ask, table } from './machine.ts';

/** `code | offending text | command`; the code says why, the text is what the caret stands under. */
const REFUSED = table(String.raw`
  chaining ¦ ; ¦ ls; id
  chaining ¦ ; ¦ ls;id
  chaining ¦ && ¦ ls && id
  chaining ¦ || ¦ ls || id
  chaining ¦ && ¦ ls &&
  chaining ¦ ; ¦ ls ;; id
  background ¦ & ¦ ls & id
  background ¦ & ¦ ls &
  redirection ¦ |& ¦ ls |& id
  redirection ¦ > ¦ echo x > /tmp/out
  redirection ¦ > ¦ echo x >> /tmp/out
  redirection ¦ > ¦ echo x 2>/dev/null
  redirection ¦ > ¦ >/tmp/out echo x
  redirection ¦ & ¦ echo x &> /tmp/out
  redirection ¦ < ¦ cat < /etc/passwd
  redirection ¦ < ¦ cat <> /tmp/out
  redirection ¦ > ¦ echo x >| /tmp/out
  redirection ¦ > ¦ echo x >&2
  redirection ¦ > ¦ echo {fd}>x
  heredoc ¦ < ¦ cat <<EOF
  heredoc ¦ < ¦ cat <<<x
  heredoc ¦ < ¦ cat <<-'E'
  substitution ¦ $( ¦ ls $(id)
  substitution ¦ $( ¦ ls "$(id)"
  substitution ¦ $( ¦ ls "a$((1+1))b"
  substitution ¦ ${'`'} ¦ ls ${'`'}id${'`'}
  substitution ¦ ${'`'} ¦ ls "a${'`'}id${'`'}b"
  substitution ¦ <( ¦ cat <(id)
  substitution ¦ >( ¦ cat >(id)
  substitution ¦ >( ¦ ls 2>(id)
  substitution ¦ <( ¦ ls 1<(id)
  expansion ¦ $HOME ¦ ls $HOME
  expansion ¦ $HOME ¦ ls "$HOME"
  expansion ¦ ${'$'}{IFS} ¦ ls${'$'}{IFS}-la
  expansion ¦ $[ ¦ echo $[ 1 ]
  expansion ¦ $1 ¦ ls $1
  expansion ¦ $@ ¦ ls "$@"
  expansion ¦ $$ ¦ ls $$
  expansion ¦ $? ¦ ls $?
  expansion ¦ $- ¦ ls "$-"
  ansi-quote ¦ $' ¦ ls $'a'
  ansi-quote ¦ $" ¦ ls $"a"
  glob ¦ * ¦ ls *.ts
  glob ¦ ? ¦ ls a?
  glob ¦ [ ¦ ls [ab]
  glob ¦ [ ¦ ls a[b]
  glob ¦ ? ¦ /???/b??/id
  tilde ¦ ~ ¦ ls ~
  tilde ¦ ~ ¦ ls ~root/x
  tilde ¦ ~ ¦ ls a=~/x
  tilde ¦ ~ ¦ ls a:~/x
  brace ¦ {a,b} ¦ ls {a,b}
  brace ¦ {1.. ¦ ls {1..3}
  brace ¦ {/etc/passwd,/etc/shadow} ¦ ls {/etc/passwd,/etc/shadow}
  history ¦ !! ¦ ls !!
  history ¦ !l ¦ ls !ls
  history ¦ !x ¦ ls "!x"
  history ¦ ^ ¦ ^a^b
  comment ¦ # ¦ ls # ; id
  grouping ¦ ( ¦ (id)
  grouping ¦ ( ¦ ls() { id; }
  grouping ¦ ( ¦ ((1))
  glob ¦ * ¦ ls *(e:'id':)
  keyword ¦ for ¦ for i in 1; do id; done
  keyword ¦ if ¦ if true; then id; fi
  keyword ¦ while ¦ while true; do id; done
  keyword ¦ until ¦ until false; do id; done
  keyword ¦ function ¦ function ls { id; }
  keyword ¦ time ¦ time id
  keyword ¦ coproc ¦ coproc id
  keyword ¦ { ¦ { id; }
  keyword ¦ ! ¦ ! id
  keyword ¦ ! ¦ ls | ! id
  keyword ¦ [[ ¦ [[ -f x ]]
  keyword ¦ case ¦ case x in x) id;; esac
  keyword ¦ select ¦ select x in a; do id; done
  assignment ¦ A= ¦ A=1 ls
  assignment ¦ LD_PRELOAD= ¦ LD_PRELOAD=./x.so ls
  assignment ¦ A+= ¦ A+=1 ls
  assignment ¦ PATH= ¦ ls | PATH=. id
  builtin ¦ % ¦ %1
  builtin ¦ cd ¦ cd /tmp
  builtin ¦ eval ¦ eval id
  builtin ¦ exec ¦ exec id
  builtin ¦ command ¦ command id
  builtin ¦ builtin ¦ builtin printf x
  builtin ¦ . ¦ . ./x
  builtin ¦ source ¦ source x
  builtin ¦ trap ¦ trap id EXIT
  builtin ¦ "eval" ¦ "eval" id
  builtin ¦ e\val ¦ e\val id
  builtin ¦ export ¦ export A=1
  builtin ¦ declare ¦ declare 'a[$(id)]=1'
  builtin ¦ hash ¦ hash -p /usr/bin/id ls
  builtin ¦ enable ¦ enable -f x ls
  builtin ¦ compgen ¦ compgen -C id
  builtin ¦ mapfile ¦ ls | mapfile -C id
  builtin ¦ read ¦ read x
  builtin ¦ alias ¦ alias ls=id
  builtin ¦ set ¦ set -x
  builtin ¦ wait ¦ wait -p 'a[$(id)]'
  builtin ¦ let ¦ let 'a[$(id)]=1'
  builtin ¦ unset ¦ unset 'a[$(id)]'
  builtin ¦ bind ¦ bind -x x
  builtin ¦ history ¦ history -s x
  builtin ¦ fc ¦ fc -s
  builtin ¦ type ¦ type ls
  builtin ¦ umask ¦ umask 0
  builtin ¦ ulimit ¦ ulimit -n
  builtin ¦ : ¦ : x
  unterminated-quote ¦ ' ¦ ls 'x
  unterminated-quote ¦ " ¦ ls "x
  unterminated-quote ¦ " ¦ ls "x\"
  incomplete ¦ | ¦ | id
  incomplete ¦ | ¦ ls |
  incomplete ¦ | ¦ ls | | id
  incomplete ¦ \ ¦ ls \
`);

describe('what a shell would act on', () => {
  it.each(REFUSED)('is refused with its place and an advice: %s', (row) => {
    const [code, offending, command] = row.split(' ¦ ') as [string, string, string];
    const judgement = ask(command, ['ls', 'echo', 'cat', 'id', 'printf', 'time']);
    expect({
      verdict: judgement.verdict,
      code: judgement.code,
      text: command.slice(judgement.at?.start, judgement.at?.end),
      hint: typeof judgement.hint,
    }).toEqual({
      verdict: 'deny',
      code,
      text: offending,
      hint: 'string',
    });
    expect(judgement.proposal).toBeUndefined();
  });

  it.each([
    ['chaining', 'ls\nid'],
    ['chaining', 'ls\n\\id'],
    ['chaining', '\nls'],
    ['control-character', 'ls\rid'],
    ['control-character', 'ls\u0000; id'],
    ['control-character', 'ls \u001b[2K'],
    ['control-character', 'ls \u007f'],
    ['control-character', 'ls \u0085id'],
    ['control-character', 'ls\vid'],
    ['invisible-character', 'ls\u200b'],
    ['invisible-character', 'ls \u202egpj'],
    ['invisible-character', 'ls \u2066x'],
    ['invisible-character', 'ls\u00a0-la'],
    ['invisible-character', 'ls \u3164'],
    ['invisible-character', 'ls \u00adx'],
    ['invisible-character', 'ls \ufeff'],
    ['invisible-character', 'ls \u2028id'],
    ['invisible-character', 'ls \ud800'],
    ['invisible-character', 'ls \u{e0041}'],
    ['invisible-character', 'ls \ufe0f'],
    ['invisible-character', 'ls a\u200db'],
    ['line-continuation', 'ls \\\n-la'],
    ['line-continuation', 'ls "$\\\n(id)"'],
    ['too-long', `ls ${'a'.repeat(10_000)}`],
    ['too-long', `ls ${'{'.repeat(301)}`],
    ['too-long', `ls ${'"$('.repeat(301)}`],
    ['too-many-stages', Array.from({ length: 33 }, () => 'ls').join(' | ')],
    ['too-many-words', `ls ${'a '.repeat(1_000)}`],
    ['empty', ''],
    ['empty', '   \t '],
    ['empty', '\n\n'],
  ])('%s: %j', (code, command) => {
    expect(ask(command, ['ls', 'id'])).toMatchObject({ verdict: 'deny', code, hint: expect.any(String) });
  });
});

describe('plain words', () => {
  it.each<[string, readonly string[]]>([
    ['ls', ['ls']],
    ['  ls\t-la  ', ['ls', '-la']],
    ['ls\n', ['ls']],
    ['ls \'a b\' "c d"', ['ls', 'a b', 'c d']],
    ["ls '$HOME' '*' '`id`' '; id'", ['ls', '$HOME', '*', '`id`', '; id']],
    ['ls "a; b && c | d > e (f) * ? ~ #"', ['ls', 'a; b && c | d > e (f) * ? ~ #']],
    ["ls 'it'\"'\"'s'", ['ls', "it's"]],
    ['ls a\\ b', ['ls', 'a b']],
    ['ls \\$HOME \\* \\;', ['ls', '$HOME', '*', ';']],
    ['ls "say \\"hi\\"" "a\\nb" "\\$x"', ['ls', 'say "hi"', 'a\\nb', '$x']],
    ['ls "5$" foo$ "a$ b" "^x$"', ['ls', '5$', 'foo$', 'a$ b', '^x$']],
    ['ls "hello!" wow! != !', ['ls', 'hello!', 'wow!', '!=', '!']],
    ['echo a=b --c=d x=', ['echo', 'a=b', '--c=d', 'x=']],
    ['ls a#b HEAD~1 a~', ['ls', 'a#b', 'HEAD~1', 'a~']],
    ['ls {} stash@{0} @{u} {a} HEAD@{1}..HEAD@{2}', ['ls', '{}', 'stash@{0}', '@{u}', '{a}', 'HEAD@{1}..HEAD@{2}']],
    ['ls [ ] ]x', ['ls', '[', ']', ']x']],
    ['ls 日本語 é ñ Ω 👍 ❤️ 👩‍💻', ['ls', '日本語', 'é', 'ñ', 'Ω', '👍', '❤️', '👩‍💻']],
    ['ls \'\' ""', ['ls', '', '']],
    ['"ls" -la', ['ls', '-la']],
    ["l's' -la", ['ls', '-la']],
    ['\\ls', ['ls']],
    ["ls 'a\nb'", ['ls', 'a\nb']],
    ['ls %s %1 ^x a,b a..b +x @x -- -', ['ls', '%s', '%1', '^x', 'a,b', 'a..b', '+x', '@x', '--', '-']],
    ['ls if then time for', ['ls', 'if', 'then', 'time', 'for']],
  ])('are literal: %j', (command, argv) => {
    const { verdict, plan } = ask(command, ['ls', 'echo']);
    expect({ verdict, stages: plan?.stages.map((stage) => stage.argv) }).toEqual({ verdict: 'allow', stages: [argv] });
  });
});
