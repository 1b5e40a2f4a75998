/** With deny rules and security=full, no shell runs a forbidden program out of a text that bash reads in another way. */
import { copyFileSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { judgedExec } from '../../../support/judged-exec.ts';

const DIFFERENT = [
  'echo a &>f touch v',
  'echo a &>>f touch v',
  String.raw`echo $'\'; touch v #'`,
  'cat <<"E\nF"\nE\nF\n touch v',
  "cat <<$'E'\n$E\ntouch v\nE\n",
];

it.each([
  ['/bin/sh', { SHELL: '/bin/sh' }],
  ['no value', {}],
])('bash reads the text with %s in SHELL', (_, env) => {
  const { workspace, exec } = judgedExec({ deny: ['/usr/bin/touch'], env });
  const ran = DIFFERENT.filter((command) => {
    rmSync(join(workspace, 'v'), { force: true });
    exec(command);
    return existsSync(join(workspace, 'v'));
  });
  expect(ran).toEqual([]);
  expect(exec('x=1; if [ "$x" = 1 ]; then echo $x; fi')).toBe('completed');
});

it('a shell within the text is seen through only where it reads as bash does', () => {
  const { workspace, exec } = judgedExec({ deny: ['/usr/bin/touch'] });
  const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
  const inside = DIFFERENT.flatMap((text) => [
    `sh -c ${quoted(text)}`,
    `dash -c ${quoted(text)}`,
    `bash --posix -c ${quoted(text)}`,
  ]);
  expect(inside.filter((command) => exec(command) !== 'denied')).toEqual([]);
  expect(existsSync(join(workspace, 'v'))).toBe(false);
  for (const command of ["sh -c 'ls; echo a > b'", "bash -c 'for x in a b; do echo $x; done'"])
    expect(exec(command)).toBe('completed');
});

it('a file with the name of a shell or a wrapper is not seen through', () => {
  const { workspace, exec } = judgedExec({ deny: ['/usr/bin/touch'] });
  for (const name of ['nice', 'bash']) copyFileSync('/usr/bin/touch', join(workspace, name));
  expect([exec('./nice ls'), exec('./bash -c ls'), exec('nice ls')]).toEqual(['denied', 'denied', 'completed']);
});
