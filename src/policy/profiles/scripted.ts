/** Programs whose script is an argument. A grammar of its own accepts the script (`policy/scripts`); a script in a file asks. */
import { all, type Family, names, reads } from './family.ts';

export const SCRIPTED: Family = {
  title: 'sed, awk and jq',
  read: 'GNU sed 4.9, mawk 1.3.4, gawk 5.2, original-awk 2018-08-27, jq 1.6 and 1.7',
  programs: {
    // The value of `-i` is the suffix of a copy: another file that is written.
    sed: reads({
      flags: names(
        '-n -E -r -s -u -z --quiet --silent --regexp-extended --separate --unbuffered --null-data --zero-terminated --posix --sandbox --debug',
      ),
      valued: { ...all('sed', '-e --expression'), ...all('num', '-l --line-length') },
      optional: all('none', '-i --in-place'),
      operands: ['sed', 'in*'],
      operandsWith: { '-i': ['sed', 'wout*'], '--in-place': ['sed', 'wout*'] },
      classWith: { '-i': 'workspace', '--in-place': 'workspace' },
      pass: [
        "sed -n '1,5p' a.txt",
        "sed 's/a/b/g' a.txt",
        "sed -E -e 's|a+|b|' -e '/^$/d' a.txt",
        "sed -i 's/a/b/' a.txt",
        'sed -n -i p a.txt',
        "sed --expression='$d' a.txt",
      ],
      ask: [
        "sed '1e id' a.txt",
        "sed 's/a/id/e' a.txt",
        "sed 's/a/b/w out.txt' a.txt",
        "sed -n '/a/w out.txt' a.txt",
        "sed 'r /etc/shadow' a.txt",
        'sed -f script.sed a.txt',
        'sed -nf script.sed a.txt',
        'sed --expression=1e a.txt',
        'sed --expr=p a.txt',
        'sed -i.bak p a.txt',
        'sed -in p a.txt',
        'sed --in-place=.bak p a.txt',
        'sed --follow-symlinks -i p a.txt',
        'sed -e p -e e a.txt',
        'sed p /etc/shadow',
      ],
    }),
    awk: reads({
      valued: all('text', '-F -v'),
      operands: ['awk', 'in*'],
      pass: [
        "awk '{print $1}' a.txt",
        "awk -F: '$3 > 10 { print $1 }' a.txt",
        "awk -v n=3 'NR == n' a.txt",
        "awk 'END { print NR }' a.txt",
      ],
      ask: [
        'awk \'BEGIN { system("id") }\'',
        'awk \'{ print > "out.txt" }\' a.txt',
        'awk \'{ print | "sh" }\' a.txt',
        'awk \'BEGIN { while (("id" | getline x) > 0) print x }\'',
        'awk \'BEGIN { getline x < "/etc/shadow"; print x }\'',
        'awk -f script.awk a.txt',
        "awk -i inplace '{ print }' a.txt",
        "awk -W exec '{ print }' a.txt",
        "awk --include=x '{ print }' a.txt",
        'awk \'{ print ENVIRON["HOME"] }\' a.txt',
        "awk '{ print }' /etc/shadow",
      ],
    }),
    jq: reads({
      flags: names(
        '-c -C -M -r -j -a -e -S -n -s -R --compact-output --color-output --monochrome-output --raw-output --raw-output0 --join-output --ascii-output --exit-status --sort-keys --null-input --slurp --raw-input --tab --seq --stream --stream-errors --unbuffered',
      ),
      valued: {
        ...all('num', '--indent'),
        ...all('text,text', '--arg --argjson'),
        ...all('text,in', '--slurpfile --rawfile'),
      },
      operands: ['jq', 'in*'],
      pass: [
        'jq . a.json',
        "jq -r '.scripts | keys[]' package.json",
        "jq --arg n x '.[$n]' a.json",
        "jq -n --slurpfile a a.json '$a'",
      ],
      ask: [
        'jq -n env',
        "jq -n '$ENV.HOME'",
        'jq -f a.jq a.json',
        'jq --from-file a.jq a.json',
        'jq -L sub . a.json',
        'jq \'import "a" as a; a::f\' a.json',
        'jq \'include "a"; f\' a.json',
        "jq -n --rawfile a /etc/shadow '$a'",
        "jq -n --slurpfile a /etc/shadow '$a'",
        'jq . /etc/shadow',
        'jq --comp . a.json',
      ],
    }),
  },
  aliases: { gsed: 'sed' },
};
