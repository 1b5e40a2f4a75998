import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeFolder } from '../../support/folder.ts';

const program = resolve(import.meta.dirname, '../../../dist/pincer.cjs');
const hasFullDevice = existsSync('/dev/full');
const hasScript = process.platform === 'linux' && spawnSync('script', ['--version']).status === 0;

interface Setting {
  readonly input?: string | Buffer;
  readonly env?: Readonly<Record<string, string>>;
}

function pincer(cwd: string, args: readonly string[], { input = '', env = {} }: Setting = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    cwd,
    input,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: cwd, ...env },
    timeout: 60_000,
  });
  return { status, stdout, stderr };
}

/** Through a shell, with the program as `$0`. */
function shell(cwd: string, script: string, env: Readonly<Record<string, string>> = {}) {
  const command = `p() { '${process.execPath}' '${program}' path "$@"; }; ${script}`;
  const { status, stdout, stderr } = spawnSync('sh', ['-c', command], {
    cwd,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: cwd, ...env },
    timeout: 60_000,
  });
  return { status, stdout, stderr };
}

function codeOf(stderr: string): string {
  return (JSON.parse(stderr) as { error: { code: string } }).error.code;
}

describe('words that are no verbs', () => {
  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])('%s is an unknown verb', (verb) => {
    const { status, stderr } = pincer(makeFolder(), ['path', verb, 'x']);
    expect({ status, code: codeOf(stderr) }).toEqual({ status: 2, code: 'USAGE_UNKNOWN_VERB' });
  });
});

describe('an output that fails', () => {
  it.skipIf(!hasFullDevice)('is told with exit 3 and without a stack (needs /dev/full)', () => {
    const { status, stderr } = shell(makeFolder({ 'a.json': '{"n":1}' }), 'p resolve oc://a.json/n > /dev/full');
    expect({ status, code: codeOf(stderr), stack: stderr.includes(' at ') }).toEqual({
      status: 3,
      code: 'FS_OUTPUT_FAILED',
      stack: false,
    });
  });

  it.skipIf(!hasFullDevice)('of messages leaves the exit code as it is (needs /dev/full)', () => {
    expect(shell(makeFolder(), 'p resolve oc://none.json/n 2> /dev/full').status).toBe(3);
    expect(shell(makeFolder(), 'p resolve 2> /dev/full').status).toBe(2);
  });
});

describe('a working folder that is gone', () => {
  const inGone = (script: string) => shell(makeFolder({ 'a.json': '{"n":1}' }), `mkdir g; cd g; rmdir ../g; ${script}`);

  it('is named, with a way out', () => {
    const { status, stderr } = inGone('p resolve oc://a.json/n');
    expect(status).toBe(3);
    expect(stderr).toContain('"code":"FS_NOT_FOUND","message":"the current directory no longer exists"');
  });

  it('does not matter to validate, nor to a file that is named in full', () => {
    expect(inGone('p validate oc://a.json/n').status).toBe(0);
    expect(inGone('p resolve oc://a.json/n --file "$HOME/a.json" --human').stdout).toBe('leaf @ L1: "1" (number)\n');
  });
});

describe('a batch', () => {
  it('that is not UTF-8 is refused, since other characters than meant would be written', () => {
    const folder = makeFolder({ 'a.json': '{"s":"x"}' });
    const input = Buffer.concat([
      Buffer.from('{"path":"oc://a.json/s","value":"'),
      Buffer.from([0xff]),
      Buffer.from('"}\n'),
    ]);
    const { status, stderr } = pincer(folder, ['path', 'set', '--batch', '-'], { input });
    expect({ status, code: codeOf(stderr) }).toEqual({ status: 2, code: 'USAGE_ARGUMENTS' });
    expect(readFileSync(join(folder, 'a.json'), 'utf8')).toBe('{"s":"x"}');
  });

  it('may begin with a byte order mark', () => {
    const folder = makeFolder({ 'a.json': '{"s":"x"}' });
    const input = '\ufeff{"path":"oc://a.json/s","value":"y"}\r\n';
    expect(pincer(folder, ['path', 'set', '--batch', '-'], { input }).status).toBe(0);
    expect(readFileSync(join(folder, 'a.json'), 'utf8')).toBe('{"s":"y"}');
  });

  it('inside path --stdin does not eat the calls that follow', () => {
    const folder = makeFolder({ 'a.json': '{"s":"x"}' });
    const calls = [
      ['set', '--batch', '-'],
      ['resolve', 'oc://a.json/s', '--human'],
      ['set', 'oc://a.json/s', '--', '--stdin'],
    ];
    const { stdout } = pincer(folder, ['path', '--stdin'], {
      input: calls.map((call) => `${JSON.stringify(call)}\n`).join(''),
    });
    const codes = stdout
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { code: number }).code);
    expect(codes).toEqual([2, 0, 0]);
  });
});

describe('find --files', () => {
  it('does not show the names of a folder outside that a link leads to', () => {
    const outside = makeFolder({ 'secret.json': '{}' });
    const folder = makeFolder();
    symlinkSync(outside, join(folder, 'link'));
    const { status, stdout } = pincer(folder, ['path', 'find', '--files', 'link/*', 'oc://*/n']);
    expect({ status, names: stdout.includes('secret') }).toEqual({ status: 1, names: false });
  });

  it('follows such a link when it stays inside', () => {
    const folder = makeFolder({ 'real/a.json': '{"n":1}' });
    symlinkSync('real', join(folder, 'link'));
    const { stdout } = pincer(folder, ['path', 'find', '--files', 'link/*', 'oc://*/n', '--human']);
    expect(stdout).toBe('1 match for oc://*/n:\n  oc://"link/a.json"/n  →  leaf @ L1: "1" (number)\n');
  });

  it('refuses --file beside it', () => {
    const { status } = pincer(makeFolder({ 'a.json': '{}' }), [
      'path',
      'find',
      '--files',
      'a.json',
      '--file',
      'a.json',
      'oc://*/n',
    ]);
    expect(status).toBe(2);
  });

  it('with nothing but missing files is exit 3', () => {
    expect(pincer(makeFolder(), ['path', 'find', '--files', 'a.json', 'oc://*/n']).status).toBe(3);
  });
});

/** Makes a link and gives its path. */
function linkIn(folder: string, name: string, target: string): string {
  symlinkSync(target, join(folder, name));
  return join(folder, name);
}

describe('a state folder that cannot be one', () => {
  const settings: readonly [string, (folder: string) => string][] = [
    ['a link to itself', (folder) => linkIn(folder, 'loop', 'loop')],
    ['a link to nowhere', (folder) => linkIn(folder, 'dangling', 'nowhere')],
    ['a name that is too long', (folder) => join(folder, 'x'.repeat(300))],
    ['below a file', (folder) => join(folder, 'a.json', 'state')],
    ['in /proc', () => '/proc/pincer'],
  ];
  it.each(settings)('(%s) stops a write with a clear fault and no reading', (_what, make) => {
    const folder = makeFolder({ 'a.json': '{"n":1}' });
    const env = { PINCER_STATE_DIR: make(folder) };
    const written = pincer(folder, ['path', 'set', 'oc://a.json/n', '2'], { env });
    expect({ status: written.status, code: codeOf(written.stderr) }).toEqual({ status: 3, code: 'FS_STATE_UNUSABLE' });
    expect(pincer(folder, ['path', 'resolve', 'oc://a.json/n'], { env }).status).toBe(0);
    expect(readFileSync(join(folder, 'a.json'), 'utf8')).toBe('{"n":1}');
  });

  it('with a folder in the place of a journal is told, in JSON as all of it', () => {
    const folder = makeFolder({ 'a.json': '{"n":1}' });
    mkdirSync(join(folder, 'state/journal/1.aa-b.c.journal'), { recursive: true, mode: 0o700 });
    const { status, stderr } = pincer(folder, ['path', 'set', 'oc://a.json/n', '2'], {
      env: { PINCER_STATE_DIR: join(folder, 'state') },
    });
    const told = stderr
      .trimEnd()
      .split('\n')
      .map((line) => Object.keys(JSON.parse(line) as object));
    expect({ status, told }).toEqual({ status: 3, told: [['notice'], ['error']] });
  });
});

describe('what a terminal would obey', () => {
  const EVIL = '\u001b]0;pwned\u0007\u009b2J\u202e';
  it.skipIf(!hasScript).each([
    ['resolve', `resolve oc://a.md/t/a/a`],
    ['the raw text', `resolve oc://a.md/t/a/a --raw`],
    ['emit', `emit a.md`],
    ['a preview', `set oc://a.md/t/+ new --dry-run`],
    ['a diff', `set oc://a.md/t/a/a new --dry-run --diff`],
    ['ls', `ls a.md --depth 3`],
    ['find', `find 'oc://a.md/**'`],
    ['the hint of near names', `resolve oc://evil.json/n`],
    ['the errors of many files', `find --files '*.json' 'oc://*/n'`],
  ])('is shown as an escape: %s (needs script(1))', (_what, args) => {
    const folder = makeFolder({ 'a.md': `## T\n\n- a: x${EVIL}y\n`, [`evil${EVIL}.json`]: 'broken' });
    const command = `NO_COLOR=1 '${process.execPath}' '${program}' path ${args}`;
    const { stdout } = spawnSync('script', ['-qec', command, '/dev/null'], {
      cwd: folder,
      encoding: 'utf8',
      input: '',
      env: { PATH: process.env['PATH'], HOME: folder, TERM: 'xterm' },
      timeout: 60_000,
    });
    expect(stdout).not.toBe('');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that must not be there
    expect(stdout).not.toMatch(/[\u001b\u0007\u009b\u202e]/u);
  });

  it('comes byte for byte in a pipe', () => {
    const folder = makeFolder({ 'a.md': `## T\n\n- a: x${EVIL}y\n` });
    expect(pincer(folder, ['path', 'emit', 'a.md', '--human']).stdout).toBe(`## T\n\n- a: x${EVIL}y\n`);
  });
});
