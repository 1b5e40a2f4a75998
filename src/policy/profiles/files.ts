/**
 * Programs that show files, folders and differences. Not listed: what names further files (`--files0-from`, `file -f`), loads a
 * description (`file -m`), starts a program (`diff -l`, `file -z`), or changes access times (`file -p`).
 */
import { all, type Family, names, reads } from './family.ts';

export const FILES: Family = {
  title: 'files and folders',
  read: 'coreutils 9.1, file 5.44, diffutils 3.8, debianutils 5.7',
  programs: {
    ls: reads({
      flags: names(
        '-a -A -b -B -c -C -d -f -F -g -G -h -H -i -k -l -L -m -n -N -o -p -q -Q -r -R -s -S -t -u -U -v -x -X -Z -1 --all --almost-all --author --escape --ignore-backups --directory --human-readable --si --no-group --inode --kibibytes --dereference --dereference-command-line --dereference-command-line-symlink-to-dir --numeric-uid-gid --literal --quote-name --reverse --recursive --size --full-time --group-directories-first --file-type --hide-control-chars --show-control-chars --context --zero',
      ),
      valued: {
        ...all('text', '-I --ignore --hide --block-size --time-style'),
        ...all('num', '-w -T --width --tabsize'),
        '--sort': 'enum none size time version extension width name',
        '--time': 'enum atime access use ctime status birth creation mtime modification',
        '--format': 'enum across commas horizontal long single-column verbose vertical',
        '--indicator-style': 'enum none slash file-type classify',
      },
      optional: all('enum always auto never', '--color --classify --hyperlink'),
      operands: ['in*'],
      follows: names('-L --dereference'),
      lists: true,
      listsNotWith: names(
        '-l -g -n -o -s -i -Z -m -Q -b -F -p --full-time --format --numeric-uid-gid --context --color --classify --hyperlink --size --inode --quote-name --escape --indicator-style --file-type',
      ),
      anyArguments: true,
      pass: ['ls', 'ls -la src', 'ls -lhS --color=never', "ls -I '*.js' src", 'ls -1 --sort=time'],
      ask: ['ls --col', 'ls --all=x', 'ls -lj', 'ls --dired', 'ls /root', 'ls ..', 'ls --sort=x'],
    }),
    stat: reads({
      flags: names('-L -f -t --dereference --file-system --terse'),
      valued: { ...all('text', '-c --format --printf'), '--cached': 'enum always never default' },
      operands: ['in*'],
      anyArguments: true,
      pass: ['stat a.txt', 'stat -c %s a.txt', "stat --format='%n %Y' a.txt b.txt"],
      ask: ['stat --form=%s a.txt', 'stat /etc/shadow', 'stat -x a.txt'],
    }),
    file: reads({
      flags: names(
        '-b -h -i -k -L -n -N -r -0 --brief --no-dereference --mime --mime-type --mime-encoding --extension --keep-going --dereference --no-buffer --no-pad --raw --print0',
      ),
      valued: all('text', '-F -e --separator --exclude'),
      operands: ['in*'],
      pass: ['file a.bin', 'file -b --mime-type a.bin b.bin'],
      ask: [
        'file -m magic a.bin',
        'file -m /tmp/m a.bin',
        'file -C -m magic',
        'file -f list.txt',
        'file --files-from=list.txt',
        'file -z a.gz',
        'file -p a.bin',
        'file -s /dev/sda',
        'file --no-sandbox a.bin',
        'file /etc/shadow',
      ],
    }),
    du: reads({
      flags: names(
        '-0 -a -b -c -D -h -H -k -L -l -m -P -s -S -x --null --all --apparent-size --bytes --total --dereference-args --human-readable --inodes --dereference --count-links --no-dereference --separate-dirs --si --summarize --one-file-system',
      ),
      valued: {
        ...all('num', '-d --max-depth'),
        ...all('text', '-B -t --block-size --threshold --exclude --time-style'),
        ...all('in', '-X --exclude-from'),
      },
      optional: { '--time': 'enum atime access use ctime status' },
      operands: ['in*'],
      follows: names('-L --dereference'),
      pass: ['du -sh .', 'du -h --max-depth=1 src', "du -a --exclude='*.js' src"],
      ask: [
        'du --files0-from=list.txt',
        'du --files=list.txt',
        'du --max=1',
        'du -X /etc/shadow src',
        'du -sh /root',
        'du -sh ..',
      ],
    }),
    // It shows a file system, and reads no file.
    df: reads({
      flags: names(
        '-a -h -H -i -k -l -P -T --all --human-readable --si --inodes --local --no-sync --portability --print-type --total',
      ),
      valued: all('text', '-B -t -x --block-size --type --exclude-type'),
      optional: { '--output': 'text' },
      operands: ['text*'],
      pass: ['df -h', 'df -h .', 'df -T --total'],
      ask: ['df --sync', 'df --tot', 'df -z'],
    }),
    diff: reads({
      flags: names(
        '-a -b -B -c -d -e -E -i -n -N -p -q -r -s -t -T -u -w -y -Z --normal --brief --report-identical-files --ed --rcs --side-by-side --left-column --suppress-common-lines --show-c-function --expand-tabs --initial-tab --suppress-blank-empty --recursive --no-dereference --new-file --unidirectional-new-file --ignore-file-name-case --no-ignore-file-name-case --ignore-case --ignore-tab-expansion --ignore-trailing-space --ignore-space-change --ignore-all-space --ignore-blank-lines --text --strip-trailing-cr --minimal --speed-large-files',
      ),
      valued: {
        ...all('num', '-U -C -W --width --tabsize --horizon-lines'),
        ...all('text', '-x -I -F -S --exclude --ignore-matching-lines --show-function-line --label --starting-file'),
        ...all('in', '-X --exclude-from --from-file --to-file'),
      },
      optional: { ...all('num', '--unified --context'), '--color': 'enum never always auto' },
      operands: ['in', 'in'],
      operandsWith: { '--from-file': ['in*'], '--to-file': ['in*'] },
      opensFolders: true,
      count: true,
      pass: ['diff a.txt b.txt', 'diff -u a.txt b.txt', 'diff -rq src dist', 'diff -U5 --color=never a.txt b.txt'],
      ask: [
        'diff -l a.txt b.txt',
        'diff --paginate a.txt b.txt',
        'diff a.txt /etc/shadow',
        'diff --to-file=/etc/shadow a.txt',
        'diff --from-file /etc/shadow a.txt',
        'diff -X /etc/shadow a.txt b.txt',
        'diff --uni=3 a.txt b.txt',
        'diff a.txt b.txt c.txt',
      ],
    }),
    cmp: reads({
      flags: names('-b -l -s --print-bytes --verbose --quiet --silent'),
      valued: all('text', '-i -n --ignore-initial --bytes'),
      operands: ['in', 'in', 'num', 'num'],
      anyArguments: true,
      pass: ['cmp a.txt b.txt', 'cmp -s -n 100 a.txt b.txt'],
      ask: ['cmp a.txt /etc/shadow', 'cmp --verb a.txt b.txt', 'cmp -x a.txt b.txt'],
    }),
    // These four print names, and read no file.
    basename: reads({
      flags: names('-a -z --multiple --zero'),
      valued: all('text', '-s --suffix'),
      operands: ['text*'],
      anyArguments: true,
      pass: ['basename src/a.ts .ts', 'basename -s .ts src/a.ts src/b.ts'],
      ask: ['basename --suff=.ts a.ts', 'basename -x a.ts', 'basename --zero=x a.ts'],
    }),
    dirname: reads({
      flags: names('-z --zero'),
      operands: ['text*'],
      anyArguments: true,
      pass: ['dirname src/a.ts', 'dirname -z src/a.ts'],
      ask: ['dirname --zer src/a.ts', 'dirname -x src/a.ts', 'dirname --zero=x src/a.ts'],
    }),
    realpath: reads({
      flags: names(
        '-e -m -L -P -q -s -z --canonicalize-existing --canonicalize-missing --logical --physical --quiet --strip --no-symlinks --zero',
      ),
      valued: all('text', '--relative-to --relative-base'),
      operands: ['text*'],
      anyArguments: true,
      pass: ['realpath src', 'realpath --relative-to=. src/a.ts'],
      ask: ['realpath --rel=. src', 'realpath -x src', 'realpath --quiet=x src'],
    }),
    readlink: reads({
      flags: names(
        '-f -e -m -n -q -s -v -z --canonicalize --canonicalize-existing --canonicalize-missing --no-newline --quiet --silent --verbose --zero',
      ),
      operands: ['text*'],
      anyArguments: true,
      pass: ['readlink -f src', 'readlink --canonicalize src'],
      ask: ['readlink --canon src', 'readlink -x src', 'readlink --quiet=x src'],
    }),
    // In Debian a script of /bin/sh that uses builtins only.
    which: reads({
      flags: ['-a'],
      operands: ['text*'],
      pass: ['which node', 'which -a node npm'],
      ask: ['which -x node', 'which --all node', 'which --read-alias node'],
    }),
  },
  aliases: { 'which.debianutils': 'which' },
};
