/**
 * Programs that show facts about the machine, and small tools of scripts. Not listed: what sets a value (`date -s`, an operand of
 * `hostname`), repeats without an end (`free -s`), or shows variables of processes (`ps e`), which hold secrets.
 */
import { all, type Family, names, reads } from './family.ts';

/** Groups of letters of `ps`, each in the two orders in which people write them. `e` without a dash shows variables: in none. */
const PS =
  'a ax aux axu auxf auxw auxww axuww axo axf x u -e -f -ef -eF -efH -el -A -a -d -F -l -L -eLf -H -w -ww -j -T f w ww j';

/** Columns of `ps -o`, also without a heading (`pid=`). Not `environ`, which shows variables. */
const PS_COLUMNS = `list ${names(
  'pid ppid pgid sid tid lwp nlwp user uid ruser euser group gid comm cmd args command ucmd fname stat state s etime etimes time cputime start lstart bsdstart bsdtime start_time pcpu %cpu c pmem %mem rss rssize rsz vsz vsize size sz tty tt tname pri ni nice cls class policy psr wchan flags f thcount',
)
  .flatMap((name) => [name, `${name}=`])
  .join(' ')}`;

export const SYSTEM_INFORMATION: Family = {
  title: 'system information and small tools',
  read: 'coreutils 9.1, procps-ng 4.0.2, hostname 3.23',
  programs: {
    date: reads({
      flags: names('-u -R --utc --universal --rfc-email --debug'),
      valued: { ...all('text', '-d --date'), ...all('in', '-r --reference'), '--rfc-3339': 'enum date seconds ns' },
      optional: all('enum date hours minutes seconds ns', '-I --iso-8601'),
      operands: ['format'],
      pass: ['date', 'date +%F', "date -u -d '2 days ago' +%s", 'date -Iseconds', 'date -r a.txt'],
      ask: [
        'date -s x',
        'date --set=x',
        'date --set x',
        'date 0101000026',
        'date -f a.txt',
        'date --file=a.txt',
        'date -r /etc/shadow',
        'date --dat=x',
      ],
    }),
    pwd: reads({
      flags: names('-L -P --logical --physical'),
      operands: [],
      pass: ['pwd', 'pwd -P'],
      ask: ['pwd x', 'pwd -x', 'pwd --log'],
    }),
    whoami: reads({ operands: [], pass: ['whoami', 'whoami --'], ask: ['whoami x', 'whoami -x', 'whoami --x'] }),
    id: reads({
      flags: names('-a -g -G -n -r -u -z -Z --context --group --groups --name --real --user --zero'),
      operands: ['text'],
      pass: ['id', 'id -un', 'id -Gn user'],
      ask: ['id --us', 'id -x', 'id a b'],
    }),
    groups: reads({
      operands: ['text*'],
      pass: ['groups', 'groups user'],
      ask: ['groups -x', 'groups --x', 'groups -n'],
    }),
    uname: reads({
      flags: names(
        '-a -s -n -r -v -m -p -i -o --all --kernel-name --nodename --kernel-release --kernel-version --machine --processor --hardware-platform --operating-system',
      ),
      operands: [],
      pass: ['uname -a', 'uname -sr', 'uname --machine'],
      ask: ['uname -S x', 'uname x', 'uname --mach'],
    }),
    arch: reads({ operands: [], pass: ['arch', 'arch --'], ask: ['arch x', 'arch -x86_64 ls', 'arch --x'] }),
    // An operand sets the name. `-A` asks name servers about all addresses.
    hostname: reads({
      flags: names('-s -f -d -i -I --short --fqdn --long --domain --ip-address --all-ip-addresses'),
      operands: [],
      pass: ['hostname', 'hostname -s', 'hostname -I'],
      ask: ['hostname x', 'hostname -F a.txt', 'hostname --file=a.txt', 'hostname -b x', 'hostname -A', 'hostname -y'],
    }),
    nproc: reads({
      flags: ['--all'],
      valued: { '--ignore': 'num' },
      operands: [],
      pass: ['nproc', 'nproc --all'],
      ask: ['nproc x', 'nproc --al', 'nproc -a'],
    }),
    uptime: reads({
      flags: names('-p -s --pretty --since'),
      operands: [],
      pass: ['uptime', 'uptime -p'],
      ask: ['uptime x', 'uptime --pre', 'uptime -x'],
    }),
    free: reads({
      flags: names(
        '-b -k -m -g -h -l -t -v -w --bytes --kilo --mega --giga --tera --peta --kibi --mebi --gibi --tebi --pebi --human --si --lohi --total --committed --wide',
      ),
      operands: [],
      pass: ['free -h', 'free -m -t'],
      ask: ['free -s 1', 'free --seconds=1', 'free -c 5', 'free -hs1', 'free --hum'],
    }),
    ps: reads({
      grammar: 'words',
      flags: [...names(PS), ...names('--forest --no-headers --headers --deselect')],
      valued: { ...all(PS_COLUMNS, '-o -eo -axo -O'), ...all('text', '-C -p -u -U -G -g -s -t -q -k') },
      operands: [],
      pass: ['ps', 'ps aux', 'ps -ef', 'ps -eo pid,ppid,cmd', 'ps -p 1 -o comm', 'ps -C node'],
      ask: [
        'ps auxe',
        'ps eww',
        'ps axe',
        'ps e',
        'ps -ef e',
        'ps -o pid,environ',
        'ps -eo environ',
        'ps aux --sor',
        'ps -o',
      ],
    }),
    sleep: reads({
      operands: ['num*'],
      pass: ['sleep 1', 'sleep 0.5', 'sleep 1m 30s'],
      ask: ['sleep infinity', 'sleep inf', 'sleep -x 1', 'sleep --hel'],
    }),
    seq: reads({
      flags: names('-w --equal-width'),
      valued: all('text', '-f -s --format --separator'),
      operands: ['num', 'num', 'num'],
      pass: ['seq 5', 'seq -s , 1 2 9', 'seq -w 1 10'],
      ask: ['seq --sep=, 5', 'seq 1 2 3 4', 'seq inf'],
    }),
    numfmt: reads({
      flags: names('-z --grouping --zero-terminated'),
      valued: {
        ...all('text', '-d --delimiter --field --format --suffix --from-unit --to-unit'),
        ...all('enum none auto si iec iec-i', '--from --to'),
        ...all('num', '--padding'),
        '--round': 'enum up down from-zero towards-zero nearest',
        '--invalid': 'enum abort fail warn ignore',
      },
      optional: { '--header': 'num' },
      operands: ['text*'],
      pass: ['numfmt --to=iec 1024', 'numfmt --from=si 1K'],
      ask: ['numfmt --t=iec 1', 'numfmt -x 1', 'numfmt --to=x 1'],
    }),
    true: reads({ grammar: 'plain', operands: ['text*'], anyArguments: true, pass: ['true', 'true x'], ask: [] }),
    false: reads({ grammar: 'plain', operands: ['text*'], anyArguments: true, pass: ['false', 'false x'], ask: [] }),
    echo: reads({
      grammar: 'plain',
      operands: ['text*'],
      anyArguments: true,
      pass: ['echo a b', 'echo -n a', 'echo --x'],
      ask: [],
    }),
    // `-v` of a shell's own printf sets a variable, and evaluates its index.
    printf: reads({
      grammar: 'posix',
      operands: ['text*'],
      anyArguments: true,
      pass: ["printf '%s\\n' a b", "printf '%s' -v", "printf -- '-%s' a"],
      ask: ['printf -v x y', 'printf --v', "printf -x '%s'"],
    }),
    test: condition('test', []),
    '[': condition('[', [']']),
  },
};

/**
 * It looks at the attributes of files, and reads none. Operators are listed, because `-v` of a shell's own `test` evaluates the index
 * of a variable.
 */
function condition(name: string, end: readonly string[]): Family['programs'][string] {
  const close = end.length === 0 ? '' : ' ]';
  return reads({
    grammar: 'words',
    flags: [
      ...names('! ( ) = == != < > -a -o -eq -ne -lt -le -gt -ge -nt -ot -ef -n -z'),
      ...names('-b -c -d -e -f -g -G -h -k -L -N -O -p -r -s -S -t -u -w -x'),
      ...end,
    ],
    operands: ['text*'],
    pass: [`${name} -f a.txt${close}`, `${name} a = b${close}`, `${name} ! -d src -a -s a.txt${close}`],
    ask: [`${name} -v x${close}`, `${name} -R x${close}`, `${name} --x${close}`],
  });
}
