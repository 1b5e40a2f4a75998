/**
 * Programs that write in the workspace. Pincer does their work itself, through the boundary and with an entry in the journal, so only
 * what it can do in their place is listed.
 */
import type { Profile } from '../../wire/profile.ts';
import { all, type Family, names } from './family.ts';

const writes = (rest: Omit<Profile, 'class' | 'grammar'>): Profile => ({
  grammar: 'getopt',
  class: 'workspace',
  terminal: 'safe',
  // Only `tee` reads it. What asks a question, such as `-i`, is not listed.
  stdin: 'data',
  ...rest,
});

export const WORKSPACE: Family = {
  title: 'writing in the workspace',
  read: 'coreutils 9.1',
  programs: {
    mkdir: writes({
      flags: names('-p -v --parents --verbose'),
      operands: ['wout*'],
      pass: ['mkdir sub', 'mkdir -p a/b/c'],
      ask: [
        'mkdir -m 777 sub',
        'mkdir --mode=777 sub',
        'mkdir ../x',
        'mkdir /etc/x',
        'mkdir -Z sub',
        'mkdir --par sub',
      ],
    }),
    // `-r` reads only the times of a file, but the journal does not keep times: it is not listed.
    touch: writes({
      flags: names('-a -c -m --no-create'),
      operands: ['wout*'],
      pass: ['touch a.txt', 'touch -c a.txt b.txt'],
      ask: [
        'touch -r b.txt a.txt',
        'touch --reference=/etc/shadow a.txt',
        'touch -d yesterday a.txt',
        'touch /etc/x',
        'touch -h a.txt',
      ],
    }),
    rm: writes({
      flags: names('-r -R -f -v -d --recursive --force --verbose --dir'),
      operands: ['wout*'],
      pass: ['rm a.txt', 'rm -rf dist', 'rm -- -x'],
      ask: [
        'rm -i a.txt',
        'rm --no-preserve-root -rf /',
        'rm -rf /',
        'rm ../a.txt',
        'rm --rec dist',
        'rm -rf .git',
        'rm -I dist',
      ],
    }),
    rmdir: writes({
      flags: names('-p -v --parents --verbose --ignore-fail-on-non-empty'),
      operands: ['wout*'],
      pass: ['rmdir sub', 'rmdir -p a/b'],
      ask: ['rmdir --par a/b', 'rmdir ../x', 'rmdir -x sub'],
    }),
    // The last operand is written, and the others are read. Links stay links: `-L` and `-H` would copy what they point to.
    cp: writes({
      flags: names(
        '-r -R -a -f -p -v -n -u -P -T -d --recursive --archive --force --verbose --no-clobber --update --no-dereference --no-target-directory',
      ),
      valued: all('wout', '-t --target-directory'),
      operands: ['in*', 'wout'],
      operandsWith: { '-t': ['in*'], '--target-directory': ['in*'] },
      minOperands: 1,
      pass: ['cp a.txt b.txt', 'cp -r src copy', 'cp a.txt b.txt sub', 'cp -t sub a.txt'],
      ask: [
        'cp /etc/shadow a.txt',
        'cp a.txt /etc/x',
        'cp a.txt .git/hooks/x',
        'cp -t /etc a.txt',
        'cp -L a.txt b.txt',
        'cp -s a.txt b.txt',
        'cp -l a.txt b.txt',
        'cp -S .bak -b a.txt b.txt',
        'cp --backup a.txt b.txt',
        'cp --preserve=all a.txt b.txt',
        'cp -i a.txt b.txt',
        'cp --rec src copy',
      ],
    }),
    mv: writes({
      flags: names('-f -n -u -v -T --force --no-clobber --update --verbose --no-target-directory'),
      valued: all('wout', '-t --target-directory'),
      operands: ['moved*', 'wout'],
      operandsWith: { '-t': ['moved*'], '--target-directory': ['moved*'] },
      minOperands: 1,
      pass: ['mv a.txt b.txt', 'mv a.txt b.txt sub', 'mv -t sub a.txt'],
      ask: [
        'mv a.txt .git/config',
        'mv .env a.txt',
        'mv a.txt /etc/x',
        'mv /etc/x a.txt',
        'mv -i a.txt b.txt',
        'mv -b a.txt b.txt',
        'mv --suf=x a.txt b.txt',
      ],
    }),
    tee: writes({
      flags: names('-a --append'),
      operands: ['wout*'],
      pass: ['tee a.txt', 'ls | tee -a a.txt'],
      ask: ['tee /etc/x', 'tee ../x', 'tee --app a.txt', 'tee -p a.txt', 'tee .git/config'],
    }),
    // Only modes in a closed form: `-R` would change all files below, and `u+s` gives rights of the owner.
    chmod: writes({
      flags: names('-v -c -f --verbose --changes --silent --quiet'),
      operands: [
        'enum +x a+x u+x ug+x go-w -x a-x u-x +r u+r a+r +w u+w -w a-w 600 640 644 664 700 744 750 755 0600 0640 0644 0664 0700 0744 0750 0755',
        'wout*',
      ],
      minOperands: 2,
      pass: ['chmod +x run.sh', 'chmod 644 a.txt'],
      ask: [
        'chmod 4755 run.sh',
        'chmod u+s run.sh',
        'chmod 777 a.txt',
        'chmod -R +x src',
        'chmod --reference=/etc/shadow a.txt',
        'chmod +x /etc/x',
      ],
    }),
  },
};
