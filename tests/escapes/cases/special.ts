/** Files that are no files, mounts, protected folders, and sizes. */
import {
  add,
  allows,
  edit,
  type EscapeCase,
  move,
  patch,
  read,
  refuses,
  remove,
  shows,
  update,
  withRoot,
  write,
} from '../case.ts';
import { file, folder, link, shell } from '../ground.ts';

const fifo = shell('mkfifo pipe');
const socket = shell(
  "node -e \"const s = require('net').createServer(); s.listen('sock', () => process.kill(process.pid, 'SIGKILL'))\" || true",
  'test -S sock',
);

const special: readonly EscapeCase[] = [
  refuses('a read of a pipe, without waiting for it', read('pipe'), fifo),
  refuses('a write to a pipe', write('pipe'), fifo),
  refuses('an edit of a pipe', edit('pipe'), fifo),
  refuses('an update of a pipe', update('pipe'), fifo),
  refuses('an added file on a pipe', add('pipe'), fifo),
  refuses('a pipe on the way', read('pipe/f.txt'), fifo),
  refuses('a pipe behind a link', read('l'), fifo, link('l', 'pipe')),
  refuses('a read of a socket', read('sock'), socket),
  refuses('a write to a socket', write('sock'), socket),
  refuses('a move onto a pipe', move('in.txt', 'pipe'), fifo),
  withRoot(refuses('a device without an end', read('zero'), shell('mknod zero c 1 5'))),
  withRoot(refuses('a write to a device', write('null'), shell('mknod null c 1 3'))),
  withRoot(refuses('an edit of a device', edit('null'), shell('mknod null c 1 3'))),
  withRoot(refuses('a block device', read('disk'), shell('mknod disk b 254 0'))),
  refuses('a device by its absolute path', read('/dev/zero')),
  refuses('a write to a device by its absolute path', write('/dev/full')),
  refuses('standard input by its path', read('/dev/stdin')),
  refuses('the environment of the process', read('/proc/self/environ')),
  refuses('the memory of the process', read('/proc/self/mem')),
  refuses('the root of the process', read('/proc/self/root{OUT}/secret.txt')),
  refuses('the working folder of the process', read('/proc/self/cwd/out/secret.txt')),
  refuses('a descriptor of the process', read('/proc/self/fd/0')),
  refuses('a descriptor of a thread', read('/proc/thread-self/fd/0')),
  refuses('a setting of the kernel', write('/proc/self/oom_score_adj', '1000\n')),
];

const folders: readonly EscapeCase[] = [
  refuses('the deletion of an empty folder', remove('e'), folder('e')),
  refuses('the deletion of a full folder', remove('d')),
  refuses('the deletion of the workspace', remove('.')),
  refuses('an added file on a folder', add('d')),
  refuses('an added file with a slash at its end', add('new/')),
  refuses('a move of a folder', move('d', 'e')),
  refuses('a move onto a folder', move('in.txt', 'd')),
  refuses('an update of a folder', update('d')),
];

const mounts: readonly EscapeCase[] = [
  withRoot(refuses('a process table mounted inside', read('p/self/environ'), shell('mkdir p', 'mount -t proc proc p'))),
  withRoot(refuses('another file of that process table', read('p/cpuinfo'), shell('mkdir p', 'mount -t proc proc p'))),
  withRoot(
    refuses(
      'a write into a mounted process table',
      write('p/self/oom_score_adj', '1\n'),
      shell('mkdir p', 'mount -t proc proc p'),
    ),
  ),
  withRoot(
    refuses('the kernel mounted inside', read('s/kernel/vmcoreinfo'), shell('mkdir s', 'mount -t sysfs sysfs s')),
  ),
  withRoot(
    refuses(
      'a way through a mounted process table',
      read('p/self/root/etc/passwd'),
      shell('mkdir p', 'mount -t proc proc p'),
    ),
  ),
  withRoot(
    shows(
      'an ordinary file system mounted inside',
      read('m/f.txt'),
      shell('mkdir m', 'mount -t tmpfs -o size=64k tmpfs m', 'echo INSIDE > m/f.txt'),
    ),
  ),
];

const git = shell('mkdir -p .git/hooks d/.git', 'echo ref > .git/HEAD', 'echo ref > d/.git/config');

const guarded: readonly EscapeCase[] = [
  refuses('a hook of a repository', write('.git/hooks/pre-commit'), git),
  refuses('a change of a repository', edit('.git/HEAD', 'ref', 'X'), git),
  refuses('the settings of a repository below', write('d/.git/config'), git),
  refuses('a repository in other letters', write('.GIT/hooks/pre-commit')),
  refuses('a repository by its short name', write('git~1/hooks/pre-commit')),
  refuses('a repository that is not there yet', write('.git/config')),
  refuses('a repository with a letter that some file systems ignore', write('.g\u200cit/config')),
  refuses('an added hook', add('.git/hooks/post-checkout'), git),
  refuses('a deletion in a repository', remove('.git/HEAD'), git),
  refuses('a move into a repository', move('in.txt', '.git/in.txt'), git),
  refuses('a move out of a repository', move('.git/HEAD', 'HEAD'), git),
  refuses('a repository behind a link', write('g/config'), git, link('g', '.git')),
  refuses('a repository behind a linked file', write('h'), git, link('h', '.git/HEAD')),
  refuses('a repository after dots', write('d/../.git/config'), git),
  allows('a file that only looks like a repository', write('.gitignore'), { '.gitignore': 'X\n' }),
  allows('a folder that only looks like a repository', write('.github/x.yml'), { '.github/x.yml': 'X\n' }),
  allows('a name that ends in it', write('a.git/x'), { 'a.git/x': 'X\n' }),
  refuses('what is kept for undo', read('{HOME}/state/anything')),
];

const smuggled: readonly EscapeCase[] = [
  refuses(
    'a second operation that escapes, and the first with it',
    patch('*** Add File: ok.txt', '+X', '*** Add File: ../out/new.txt', '+X'),
  ),
  refuses(
    'a last deletion that escapes',
    patch('*** Update File: in.txt', '@@', '-INSIDE', '+X', '*** Delete File: ../out/secret.txt'),
  ),
  refuses(
    'a second block that escapes',
    patch('*** Add File: ok.txt', '+X', '*** End Patch', '*** Begin Patch', '*** Add File: {OUT}/new.txt', '+X'),
  ),
  refuses('a quoted path outside', add('"../out/new.txt"')),
  refuses('a back-ticked path outside', update('`../out/secret.txt`', 'KEEP-OUT-4d1f')),
  refuses('a reference mark in a patch', update('@../out/secret.txt', 'KEEP-OUT-4d1f')),
  refuses('a file URL in a patch', add('file://{OUT}/new.txt')),
  refuses('a header in other letters', patch('*** add file: ../out/new.txt', '+X')),
  refuses('a header without a blank', patch('*** Add File:../out/new.txt', '+X')),
  refuses('an indented header', patch('  *** Delete File: ../out/secret.txt')),
  refuses('a move whose arrow hides the way out', patch('*** Move File: in.txt -> d/x -> ../out/in.txt')),
  refuses(
    'a move after an update of another file',
    patch('*** Update File: d/f.txt', '@@', '-INSIDE', '+X', '*** Update File: in.txt', '*** Move to: {OUT}/in.txt'),
  ),
  refuses('a renamed file that escapes', patch('*** Rename File: in.txt -> ../out/in.txt')),
  refuses('a unified diff that escapes', {
    tool: 'apply_patch',
    args: { input: '--- a/../../out/secret.txt\n+++ b/../../out/secret.txt\n@@ -1 +1 @@\n-KEEP-OUT-4d1f\n+X\n' },
  }),
  refuses('a unified diff that adds outside', {
    tool: 'apply_patch',
    args: { input: '--- /dev/null\n+++ b/../../out/new.txt\n@@ -0,0 +1 @@\n+X\n' },
  }),
  refuses('a unified diff that deletes outside', {
    tool: 'apply_patch',
    args: { input: '--- {OUT}/secret.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-KEEP-OUT-4d1f\n' },
  }),
  refuses(
    'a link that the same patch would have to follow',
    patch('*** Update File: in.txt', '@@', '-INSIDE', '+X', '*** Add File: ld/new.txt', '+X'),
    link('ld', '{OUT}'),
  ),
  refuses(
    'a move onto a link that the same patch deletes elsewhere',
    patch('*** Delete File: l', '*** Add File: l/new.txt', '+X'),
    link('l', '{OUT}'),
  ),
  allows(
    'a header in an added line, which is content',
    patch('*** Add File: ok.txt', '+*** Delete File: ../out/secret.txt'),
    { 'ok.txt': '*** Delete File: ../out/secret.txt\n' },
  ),
  allows(
    'a header in a context line, which is content',
    patch('*** Update File: m.txt', '@@', ' *** Delete File: ../out/secret.txt', '-INSIDE', '+X'),
    { 'm.txt': '*** Delete File: ../out/secret.txt\nX\n' },
    file('m.txt', '*** Delete File: ../out/secret.txt\nINSIDE\n'),
  ),
  refuses(
    'an addition through a link that the same patch deletes',
    patch('*** Delete File: l', '*** Add File: l', '+X'),
    link('l', '{OUT}/secret.txt'),
  ),
];

const sizes: readonly EscapeCase[] = [
  refuses('200 MB of NULs', read('big'), shell('truncate -s 200M big')),
  refuses('an edit of 100 MB that do not hold the text', edit('big', 'INSIDE', 'X'), shell('truncate -s 100M big')),
  refuses(
    'binary content as text',
    read('b'),
    file(
      'b',
      Uint8Array.from({ length: 4096 }, (_, i) => (i * 37) & 255),
    ),
  ),
  shows('the start of a long line', read('line'), file('line', `INSIDE${'x'.repeat(3 << 20)}`)),
];

const controls: readonly EscapeCase[] = [
  shows('a plain read', read('in.txt')),
  allows('a plain write', write('in.txt'), { 'in.txt': 'X\n' }),
  allows('a plain edit', edit('in.txt'), { 'in.txt': 'X\n' }),
  allows('a plain update', update('in.txt'), { 'in.txt': 'X\n' }),
  allows('a plain addition', add('n/new.txt'), { 'n/new.txt': 'X\n' }),
  allows('a plain deletion', remove('in.txt'), { 'in.txt': null }),
  allows('a plain move', move('in.txt', 'n/in.txt'), { 'in.txt': null, 'n/in.txt': 'INSIDE\n' }),
  allows('a plain update with a move', patch('*** Update File: in.txt', '*** Move to: n.txt', '@@', '-INSIDE', '+X'), {
    'in.txt': null,
    'n.txt': 'X\n',
  }),
  refuses('a file that is not there', read('nowhere.txt')),
];

export const SPECIAL: readonly EscapeCase[] = [
  ...special,
  ...folders,
  ...mounts,
  ...guarded,
  ...smuggled,
  ...sizes,
  ...controls,
];
