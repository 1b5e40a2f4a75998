/** The scripts in the shells that they are for. */
import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { COMMANDS } from '../../../../src/apps/cli/commands.ts';
import { bashScript } from '../../../../src/apps/cli/completion/bash.ts';
import { fishScript } from '../../../../src/apps/cli/completion/fish.ts';
import { type Scope, scopesOf } from '../../../../src/apps/cli/completion/scopes.ts';
import { zshScript } from '../../../../src/apps/cli/completion/zsh.ts';
import { daemonPlace, type Place, runProgram } from '../../../support/daemon.ts';
import { makeFolder } from '../../../support/folder.ts';

const PROGRAM = join(import.meta.dirname, '..', '..', '..', '..', 'dist', 'pincer.cjs');
const has = (shell: string): boolean => spawnSync(shell, ['--version']).status === 0;

let scopes: readonly Scope[] = [];
beforeAll(async () => {
  scopes = scopesOf(await Promise.all(COMMANDS.map((command) => command.load())));
});

/** The words of a line with the cursor behind the last, and what is offered there. */
const OFFERED: readonly (readonly [readonly string[], readonly string[]])[] = [
  [['exe'], ['exec']],
  [['exec', '--se'], ['--security']],
  [
    ['exec', '--security', ''],
    ['allowlist', 'deny', 'full'],
  ],
  [['exec', '--security', 'deny', '--as'], ['--ask']],
  [['exec', '--', 'made-up-prog'], ['made-up-program']],
  [['exec', 'ls', 'no'], ['notes.md']],
  [
    ['approvals', 'allowlist', ''],
    ['add', 'list', 'remove'],
  ],
  [['approvals', '--json', 'sh'], ['show']],
  [
    ['approvals', 'allowlist', 'add', '--arg'],
    ['--arg-pattern', '--args'],
  ],
  [['approvals', 'show', '--al'], []],
  [['path', 'resolve', '--ra'], ['--raw']],
  [['path', 'find', '--ra'], []],
  [
    ['path', 'find', '--kind', 'json'],
    ['jsonc', 'jsonl'],
  ],
  [['read', 'no'], ['notes.md']],
  [['call', '--workspace', 'sub'], ['sub']],
  [['help', 'doc'], ['doctor']],
  [['ps', 'x'], []],
];

/** A folder to complete in, with a program that no other folder has. */
function stage(): { readonly folder: string; readonly env: Record<string, string> } {
  const folder = makeFolder({ 'notes.md': '', 'sub/file': '' });
  writeFileSync(join(folder, 'sub', 'made-up-program'), '#!/bin/sh\n', { mode: 0o755 });
  writeFileSync(join(folder, 'sub', 'pincer'), `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`, {
    mode: 0o755,
  });
  return {
    folder,
    env: { HOME: folder, XDG_CONFIG_HOME: folder, PATH: `${join(folder, 'sub')}:${process.env['PATH']}` },
  };
}

function shell(name: string, args: readonly string[], script: string, at: ReturnType<typeof stage>): readonly string[] {
  const { status, stdout, stderr } = spawnSync(name, [...args, script], {
    cwd: at.folder,
    env: at.env,
    encoding: 'utf8',
    timeout: 60_000,
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout.split('\n').filter((line) => line !== '');
}

const word = (text: string): string => `'${text}'`;

describe.runIf(has('bash'))('bash', () => {
  const ask = (line: readonly string[], at: ReturnType<typeof stage>, rest = ''): readonly string[] => {
    writeFileSync(join(at.folder, 'script'), bashScript(scopes));
    const setting = `COMP_WORDS=(pincer ${line.map(word).join(' ')}); COMP_CWORD=${line.length}`;
    const show = `printf "%s\\n" "\${COMPREPLY[@]}"`;
    return shell('bash', ['--norc', '-c'], `set -u; . ./script; ${rest}${setting}; _pincer; ${show}`, at);
  };

  it.each(OFFERED)('offers for %j: %j', (line, offered) => {
    expect([...new Set(ask(line, stage()))].sort()).toEqual(offered);
  });

  it('offers the words of a value behind an equals sign, which it takes apart itself', () => {
    expect([ask(['exec', '--security', '='], stage()), ask(['exec', '--security', '=', 'al'], stage())]).toEqual([
      ['deny', 'allowlist', 'full'],
      ['allowlist'],
    ]);
  });

  it('offers names of files as they are: none is a pattern, is run, or is taken apart', () => {
    const at = stage();
    for (const name of ['ax*', 'axb', 'ax b', 'ax\nb', 'ax$(touch ran)', 'ax`touch ran`;'])
      writeFileSync(join(at.folder, name), '');
    expect(ask(['read', 'ax'], at).toSorted()).toEqual(['ax b', 'ax$(touch ran)', 'ax*', 'ax`touch ran`;', 'axb']);
    expect(existsSync(join(at.folder, 'ran'))).toBe(false);
  });

  it('is asked for pincer', () => {
    const at = stage();
    writeFileSync(join(at.folder, 'script'), bashScript(scopes));
    expect(shell('bash', ['--norc', '-c'], '. ./script; complete -p pincer', at)).toEqual([
      'complete -F _pincer pincer',
    ]);
  });
});

describe.runIf(has('zsh'))('zsh', () => {
  const kinds = new Set(['file', 'folder', 'command']);

  it.each(OFFERED)('knows for %j: %j', (line, offered) => {
    const at = stage();
    writeFileSync(join(at.folder, 'script'), `compdef() { :; }\n${zshScript(scopes)}`);
    const current = word(line.at(-1)!);
    const before = line.slice(0, -1).map(word).join(' ');
    const [kind = '', ...words] = shell(
      'zsh',
      ['-f', '-c'],
      `. ./script; _pincer_read ${before}; _pincer_kind ${current}; print -r -- "$found"`,
      at,
    );
    if (kinds.has(kind)) return expect(offered).toHaveLength(1);
    const names = words.map((one) => one.split(':', 1)[0]!).filter((one) => one.startsWith(line.at(-1)!));
    return expect(names.sort()).toEqual(offered);
  });

  it('completes in a real terminal', () => {
    const at = stage();
    writeFileSync(join(at.folder, '_pincer'), zshScript(scopes));
    const script = `
      zmodload zsh/zpty
      zpty z zsh -f -i
      zpty -w z "fpath=($PWD \\$fpath); autoload -U compinit; compinit -u -D; PS1='at-''the-''prompt '"
      zpty -r z line '*at-the-prompt*'
      zpty -w -n z $'pincer exec --secu\\tallo\\t--wai\\tXQ'
      zpty -r z line '*XQ*'
      print -r -- "$line"
      zpty -d z`;
    const out = shell('zsh', ['-f', '-c'], script, at).join('\n');
    expect(out).toMatch(/--security .*allowlist .*--wait/su);
  });
});

describe.runIf(has('fish'))('fish', () => {
  it.each(OFFERED)('offers for %j: %j', (line, offered) => {
    const at = stage();
    writeFileSync(join(at.folder, 'script'), fishScript(scopes));
    const typed = ['pincer', ...line].join(' ');
    const out = shell('fish', ['-c'], `source ./script; complete -C ${word(typed)}`, at);
    const names = out.map((one) => one.split('\t', 1)[0]!.replace(/\/$/u, ''));
    expect([...new Set(names)].sort()).toEqual(offered);
  });
});

describe('the ids that scripts ask for', () => {
  const run = (place: Place, ...args: string[]) => runProgram(PROGRAM, place, args);

  it('are those of sessions; without a daemon there are none, and none is started', async () => {
    const place = daemonPlace();
    expect(await run(place, 'completion', 'ids', 'session')).toMatchObject({ code: 0, stdout: '', stderr: '' });
    expect(await run(place, 'daemon', 'status')).toMatchObject({ code: 1 });
    const started = await run(place, 'exec', '--background', '--', 'sleep', '60');
    expect(await run(place, 'completion', 'ids', 'session')).toMatchObject({ code: 0, stdout: started.stdout });
    expect(await run(place, 'completion', 'ids', 'approval')).toMatchObject({ code: 0, stdout: '' });
    expect(await run(place, 'daemon', 'stop', '--force')).toMatchObject({ code: 0 });
  });

  it.each([
    [['ids', 'rivers'], 'the kind of ids must be session or approval'],
    [['bahs'], 'unknown verb \\"bahs\\"; did you mean bash'],
    [['bash', 'more'], 'unexpected argument \\"more\\"'],
    [[], 'the argument <shell> is missing'],
  ])('%j is refused', async (argv, message) => {
    const { code, stderr } = await run(daemonPlace(), 'completion', ...argv);
    expect({ code, said: stderr.includes(message) }).toEqual({ code: 2, said: true });
  });
});
