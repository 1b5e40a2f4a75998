/**
 * Programs that search files. Not listed: what starts a program (`rg --pre`, `rg -z`, `fd -x`, `fd -l`), deletes or writes
 * (`find -delete`, `find -fprint`, `tree -o`), or names further files in a file (`find -files0-from`, `tree --fromfile`).
 *
 * `rg` and `fd` take `-f=x` as `-f x`, so their options that name a file are listed by their long names only.
 */
import { all, type Family, names, reads } from './family.ts';

export const SEARCH: Family = {
  title: 'search',
  read: 'GNU grep 3.8, ripgrep 13.0 and 14.1, fd 8.6, GNU findutils 4.9, tree 2.1',
  programs: {
    grep: reads({
      flags: names(
        '-E -F -G -P -i -y -w -x -z -s -v -b -n -H -h -o -q -a -I -r -R -L -l -c -T -Z -U --extended-regexp --fixed-strings --basic-regexp --perl-regexp --ignore-case --no-ignore-case --word-regexp --line-regexp --null-data --no-messages --invert-match --byte-offset --line-number --line-buffered --with-filename --no-filename --only-matching --quiet --silent --text --recursive --dereference-recursive --files-without-match --files-with-matches --count --initial-tab --null --no-group-separator --binary',
      ),
      valued: {
        ...all('pattern', '-e --regexp'),
        ...all('patterns', '-f --file'),
        '--exclude-from': 'in',
        ...all('num', '-m -A -B -C --max-count --after-context --before-context --context'),
        ...all('enum read recurse skip', '-d --directories'),
        ...all('enum read skip', '-D --devices'),
        ...all('text', '--label --include --exclude --exclude-dir --group-separator'),
        '--binary-files': 'enum binary text without-match',
      },
      optional: all('enum always never auto', '--color --colour'),
      operands: ['pattern', 'in*'],
      follows: names('-R --dereference-recursive'),
      listsWith: names('-l -L --files-with-matches --files-without-match'),
      listsNotWith: names('--label --color --colour'),
      count: true,
      anyArguments: true,
      pass: [
        'grep -rn word .',
        "grep -E 'a|b' a.txt",
        'grep -e -x a.txt',
        'grep -f words.txt a.txt',
        "grep -rn --include='*.ts' word .",
        'grep -C3 word a.txt',
        'grep -3 word a.txt',
        'grep --color=never word a.txt',
      ],
      ask: [
        'grep --inc=x word .',
        'grep -f /etc/shadow a.txt',
        'grep -f/etc/shadow a.txt',
        'grep --file=/etc/shadow a.txt',
        'grep --exclude-from=/etc/shadow word a.txt',
        'grep -e word /etc/shadow',
        'grep word /etc/shadow',
        'grep -rj word .',
        'grep --count=3 word a.txt',
      ],
    }),
    rg: reads({
      flags: names(
        '-F -i -v -w -x -c -n -N -l -H -I -o -L -q -S -s -U -a -p -P -0 -u -b -. --fixed-strings --ignore-case --invert-match --word-regexp --line-regexp --count --count-matches --line-number --no-line-number --files-with-matches --files-without-match --files --hidden --no-hidden --no-ignore --no-ignore-dot --no-ignore-exclude --no-ignore-global --no-ignore-parent --no-ignore-vcs --no-require-git --only-matching --multiline --multiline-dotall --pcre2 --pretty --heading --no-heading --no-messages --smart-case --case-sensitive --follow --json --vimgrep --trim --stats --type-list --with-filename --no-filename --null --null-data --quiet --text --binary --unrestricted --no-config --column --no-column --byte-offset --include-zero --one-file-system --passthru --crlf --no-unicode --max-columns-preview --glob-case-insensitive --auto-hybrid-regex --debug',
      ),
      valued: {
        ...all('pattern', '-e --regexp'),
        '--file': 'patterns',
        '--ignore-file': 'in',
        ...all(
          'num',
          '-m -A -B -C -M -j --max-count --after-context --before-context --context --max-depth --maxdepth --max-columns --threads --max-filesize',
        ),
        ...all(
          'text',
          '-g -t -T -r -E --glob --iglob --type --type-not --type-add --type-clear --replace --encoding --colors --context-separator --field-context-separator --field-match-separator',
        ),
        '--color': 'enum never auto always ansi',
        ...all('enum none path modified accessed created', '--sort --sortr'),
        '--engine': 'enum default pcre2 auto',
      },
      operands: ['pattern', 'in*'],
      operandsWith: { '--files': ['in*'], '--type-list': [] },
      follows: names('-L --follow'),
      listsWith: names('--files -l --files-with-matches --files-without-match'),
      listsNotWith: names('--color --colors -p --pretty --stats --debug'),
      pass: ['rg word', "rg -n -g '*.ts' word src", 'rg --files src', 'rg -tjs -A3 word', 'rg -e word -e other src'],
      ask: [
        'rg --pre x word',
        'rg --pre=x word',
        'rg -z word',
        'rg --search-zip word',
        'rg --files /etc',
        'rg -e word /etc',
        'rg -f=/etc/shadow a.txt',
        'rg --ignore-file=/etc/shadow word',
        'rg --hostname-bin=x word',
        'rg --hid word',
      ],
    }),
    fd: reads({
      flags: names(
        '-H -I -u -s -i -g -F -a -L -p -0 -1 -q --hidden --no-hidden --no-ignore --no-ignore-vcs --no-ignore-parent --unrestricted --case-sensitive --ignore-case --glob --regex --fixed-strings --absolute-path --follow --full-path --print0 --prune --quiet --show-errors --strip-cwd-prefix --one-file-system',
      ),
      valued: {
        ...all(
          'text',
          '-E -t -e -S -o --and --exclude --type --extension --size --changed-within --changed-before --owner',
        ),
        ...all('num', '-d -j --max-depth --min-depth --exact-depth --threads --max-results'),
        ...all('enum auto always never', '-c --color'),
        ...all('in', '--ignore-file --search-path'),
      },
      operands: ['pattern', 'in*'],
      follows: names('-L --follow'),
      lists: true,
      listsNotWith: names('-c --color'),
      pass: ['fd', 'fd word src', 'fd -e ts -H', "fd -t f -E node_modules '^a' src"],
      ask: [
        'fd word -x rm',
        'fd word -X rm',
        'fd --exec=rm word',
        'fd -l word',
        'fd --list-details word',
        'fd word /etc',
        'fd --base-directory /etc word',
        'fd --hid word',
      ],
    }),
    find: reads({
      grammar: 'words',
      flags: names(
        '-H -L -P ( ) ! , -not -a -and -o -or -daystart -depth -d -mount -xdev -noleaf -noignore_readdir_race -ignore_readdir_race -warn -nowarn -true -false -empty -executable -readable -writable -nouser -nogroup -print -print0 -prune -quit -ls',
      ),
      valued: {
        ...all(
          'text',
          '-name -iname -path -ipath -wholename -iwholename -lname -ilname -regex -iregex -regextype -perm -size -type -xtype -fstype -user -group -printf -newermt',
        ),
        ...all('num', '-amin -cmin -mmin -atime -ctime -mtime -used -uid -gid -inum -links -maxdepth -mindepth'),
        ...all('in', '-newer -anewer -cnewer -samefile'),
        ...all('command', '-exec -execdir'),
      },
      operands: ['in*'],
      follows: ['-L'],
      lists: true,
      listsNotWith: names('-exec -execdir -printf -ls'),
      pass: [
        'find . -name a.txt',
        "find src -type f -not -path '*/node_modules/*' -name '*.ts'",
        'find . -maxdepth 2 -newer a.txt -print0',
        'find . -name a.txt -exec grep -l word {} +',
        "find . -type f -exec wc -l {} ';'",
        "find . '(' -name a -o -name b ')' -prune",
      ],
      ask: [
        'find . -delete',
        'find . -name a -delete',
        'find . -fprint out.txt',
        'find . -fprint0 out.txt',
        'find . -fprintf out.txt x',
        'find . -fls out.txt',
        "find . -ok rm {} ';'",
        "find . -okdir rm {} ';'",
        "find . -exec rm {} ';'",
        "find . -exec sh -c id ';'",
        "find . -exec sort -o out.txt {} ';'",
        'find -files0-from a.txt',
        'find . -newer /etc/shadow',
        'find /etc',
        'find . -nam a.txt',
      ],
    }),
    // A value is always the next word: in `-Pxo a b`, `-P` takes `a` and `-o` writes `b`. So clusters are not accepted.
    tree: reads({
      grammar: 'words',
      flags: names(
        '-a -d -f -l -x -q -N -Q -p -u -g -s -h -D -F -v -t -c -U -r -i -A -S -n -C -X -J --gitignore --ignore-case --matchdirs --metafirst --prune --noreport --si --du --inodes --device --dirsfirst --filesfirst --nolinks',
      ),
      valued: { ...all('num', '-L -aL -dL --filelimit'), ...all('text', '-P -I') },
      operands: ['in*'],
      follows: ['-l'],
      pass: ['tree', 'tree -L 2 src', "tree -a -I 'node_modules|.git' -L 3"],
      ask: [
        'tree -o out.html',
        'tree -Pxo a out.html',
        'tree --fromfile a.txt',
        'tree --infofile=a.txt',
        'tree --gitfile a.txt',
        'tree --hintro=/etc/shadow -H .',
        'tree -R -L 1 -H .',
        'tree /etc',
      ],
    }),
  },
  // The name of fd in Debian.
  aliases: { fdfind: 'fd' },
};
