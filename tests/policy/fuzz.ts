/** Real bash as the judge of the scanner: strings of nasty pieces, and what bash starts for each of them. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { timeoutFor } from '../support/budget.ts';

/** Names that the pieces use, all of them the recorder. */
export const PROGRAMS = ['ls', 'id', 'git', 'a', 'b', 'x'];

const PIECES = [
  'ls',
  'id',
  'git',
  'a',
  'b',
  'x',
  ' ',
  ' ',
  ' ',
  '\t',
  ' | ',
  '|',
  "'",
  "'",
  '"',
  '"',
  '\\',
  '$',
  '`',
  '(',
  ')',
  '{',
  '}',
  '{',
  '}',
  ',',
  '..',
  '[',
  ']',
  '*',
  '?',
  '~',
  '#',
  '!',
  '^',
  '%',
  '=',
  ':',
  '+',
  '@',
  '-',
  '.',
  '/',
  ';',
  '&',
  '<',
  '>',
  '\n',
  "'a b'",
  '"a b"',
  '\\ ',
  "\\'",
  '\\"',
  '\\\\',
  '"$"',
  '"\\$"',
  '$ ',
  '"a$ b"',
  '""',
  "''",
  "'$x'",
  "'*'",
  '"*"',
  'a=b',
  '=b',
  ' a=~',
  ':~',
  ' !',
  ' != ',
  '! ',
  '"!"',
  'é',
  '日本',
  '\u00a0',
  '\u200b',
  '\r',
  '{}',
  '@{0}',
  '@{u}..',
  '{a}',
  '{a},b}',
  '{1..3}',
  'HEAD~1',
  '--x=y',
  '-n',
  '%h',
  "'%h %s'",
  '[',
  ' [ ',
  ' ] ',
  ' { ',
  ' } ',
  'time',
  'if',
  'coproc',
  '2>',
  '1<(id)',
  '\\\n',
  '~+',
  '-~',
  '"\\n"',
  '"\\""',
  "$'a'",
  '$"a"',
  '\\*',
  '\\$x',
  '\\;',
  '+(a)',
];

/** A text of random pieces; `next` gives numbers from 0 to 1. */
export function nastyText(next: () => number): string {
  const count = 1 + Math.floor(next() * 9);
  let text = next() < 0.6 ? 'ls ' : '';
  for (let i = 0; i < count; i++) text += PIECES[Math.floor(next() * PIECES.length)]!;
  return text;
}

/** How to keep a shell from everything, or why that is not possible here. */
export function throwAway(): { readonly unavailable: string } | { readonly command: readonly string[] } {
  const command = ['unshare', '--user', '--map-root-user', '--mount', '--net', '--pid', '--fork', '--kill-child'];
  const tried = spawnSync(command[0]!, [...command.slice(1), 'true'], { timeout: 60_000 });
  if (tried.status !== 0) return { unavailable: 'unshare cannot make a user namespace here' };
  const script = 'command -v bash && echo "int main(void) { return 0; }" | cc -static -x c -o /dev/null -';
  if (spawnSync('sh', ['-c', script], { timeout: 60_000 }).status !== 0)
    return { unavailable: 'bash and a C compiler that links statically are needed' };
  return { command };
}

/** Writes each argv as one record, NUL between words and an empty line of its own behind the last. */
const RECORDER = `
#include <string.h>
#include <unistd.h>
#include <fcntl.h>
int main(int argc, char **argv) {
  static char record[65536];
  size_t at = 0;
  for (int i = 0; i < argc && at + strlen(argv[i]) + 3 < sizeof record; i++) { size_t n = strlen(argv[i]); memcpy(record + at, argv[i], n + 1); at += n + 1; }
  record[at++] = 1; record[at++] = 0;
  int fd = open("/record", O_WRONLY | O_APPEND | O_CREAT, 0600);
  return write(fd, record, at) == (ssize_t)at ? 0 : 1;
}
`;

/** Runs every text with bash in a root that holds bash and the recorder and nothing else; gives what each one started. */
export function runInBash(command: readonly string[], texts: readonly string[]): readonly (readonly string[][])[] {
  const root = mkdtempSync(join(tmpdir(), 'pincer-fuzz-'));
  try {
    for (const folder of ['bin', 'lib', 'texts', 'dev']) mkdirSync(join(root, folder));
    writeFileSync(join(root, 'dev/null'), '');
    copyProgram('bash', root);
    writeFileSync(join(root, 'recorder.c'), RECORDER);
    execFileSync('cc', ['-static', '-O1', '-o', join(root, 'bin/recorder'), join(root, 'recorder.c')], {
      timeout: 60_000,
    });
    chmodSync(join(root, 'bin/recorder'), 0o755);
    for (const name of [...PROGRAMS, '[', 'test', 'time']) symlinkSync('recorder', join(root, 'bin', name));
    for (const [i, text] of texts.entries()) writeFileSync(join(root, 'texts', `${i}`), text);
    writeFileSync(join(root, 'drive'), DRIVER(texts.length));
    spawnSync(command[0]!, [...command.slice(1), 'chroot', root, '/bin/bash', '--norc', '--noprofile', '/drive'], {
      timeout: timeoutFor(120_000),
      env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C.UTF-8' },
      stdio: 'ignore',
    });
    return readRecords(readFileSync(join(root, 'record'), 'utf8'), texts.length);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** Bash reads each text itself, in a subshell with its own folder, and marks where the records of the next one begin. */
function DRIVER(count: number): string {
  return [
    'PATH=/bin; cd /texts; enable -n test [ ;',
    `for ((i = 0; i < ${count}; i++)); do`,
    '  IFS= read -r -d "" text < "/texts/$i"',
    '  recorder "#$i"',
    '  ( eval "$text" ) </dev/null >/dev/null 2>&1',
    'done',
    'recorder "#end"',
  ].join('\n');
}

function readRecords(all: string, count: number): readonly (readonly string[][])[] {
  const found: string[][][] = Array.from({ length: count }, () => []);
  let current = -1;
  let ended = false;
  for (const record of all.split('\u0001\0')) {
    const argv = record.split('\0').slice(0, -1);
    if (argv[0] === 'recorder' && argv[1]?.startsWith('#') === true) {
      ended = argv[1] === '#end';
      current = ended ? current : Number(argv[1].slice(1));
    } else if (argv.length > 0 && current >= 0) found[current]!.push(argv);
  }
  if (!ended) throw new Error('bash did not come to the end of the texts');
  return found;
}

/** The program and the libraries that it loads. */
function copyProgram(name: string, root: string): void {
  const path = execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim();
  execFileSync('cp', ['-L', path, join(root, 'bin', name)]);
  const libraries = spawnSync('ldd', [path], { encoding: 'utf8' }).stdout.match(/\/\S+/g) ?? [];
  for (const library of libraries) {
    mkdirSync(join(root, library, '..'), { recursive: true });
    execFileSync('cp', ['-L', library, join(root, library)]);
  }
}
