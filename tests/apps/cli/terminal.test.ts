import { spawnSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const program = resolve(import.meta.dirname, '../../../dist/pincer.cjs');
const hasScript = process.platform === 'linux' && spawnSync('script', ['--version']).status === 0;
let folder = '';

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'pincer-terminal-')));
  writeFileSync(join(folder, 'a.json'), '{"short": "x", "much longer": true}\n');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the program on a real pseudo-terminal and gives what it shows. */
function onTerminal(args: string, env: Record<string, string> = {}): string {
  const command = `'${process.execPath}' '${program}' ${args}`;
  const ran = spawnSync('script', ['-qec', command, '/dev/null'], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder, TERM: 'xterm', ...env },
    encoding: 'utf8',
    input: '',
    timeout: 60_000,
  });
  return ran.stdout.replaceAll('\r\n', '\n');
}

describe('on a terminal', () => {
  it.skipIf(!hasScript)('the answer is for a person, in colour, its columns aligned (needs script(1))', () => {
    const shown = onTerminal(`path find 'oc://a.json/*'`);
    expect(shown).toContain('\u001b[36m');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the colours
    expect(shown.replace(/\u001b\[\d+m/g, '')).toBe(
      '2 matches for oc://a.json/*:\n' +
        '  oc://a.json/short          →  leaf @ L1: "x" (string)\n' +
        '  oc://a.json/"much longer"  →  leaf @ L1: "true" (boolean)\n',
    );
  });

  it.skipIf(!hasScript)('NO_COLOR takes the colour away (needs script(1))', () => {
    expect(onTerminal('path resolve oc://a.json/short', { NO_COLOR: '1' })).toBe('leaf @ L1: "x" (string)\n');
  });

  it.skipIf(!hasScript)('--json gives JSON all the same (needs script(1))', () => {
    expect(JSON.parse(onTerminal('path resolve oc://a.json/short --json'))).toMatchObject({ resolved: true });
  });
});

describe('in a pipe', () => {
  it('ends quietly when the reader goes away', () => {
    writeFileSync(join(folder, 'big.jsonl'), '{"a":1}\n'.repeat(200_000));
    const ran = spawnSync(
      'sh',
      ['-c', `'${process.execPath}' '${program}' path find 'oc://big.jsonl/*/a' | head -n 2; echo done`],
      { cwd: folder, encoding: 'utf8', env: { PATH: process.env['PATH'], HOME: folder } },
    );
    expect(ran.stderr).toBe('');
    expect(ran.stdout).toBe('{\n  "pattern": "oc://big.jsonl/*/a",\ndone\n');
  });
});

describe('the friendly forms on a terminal', () => {
  it.skipIf(!hasScript)('show the diff in colour (needs script(1))', () => {
    writeFileSync(join(folder, 'e.txt'), 'one\ntwo\n');
    const shown = onTerminal('edit e.txt --old two --new three');
    expect(shown).toContain('Successfully edited e.txt\n');
    expect(shown).toContain('\u001b[31m-two\u001b[39m\n\u001b[32m+three\u001b[39m');
  });

  it.skipIf(!hasScript)('show it without colour when NO_COLOR says so (needs script(1))', () => {
    writeFileSync(join(folder, 'e.txt'), 'one\ntwo\n');
    const shown = onTerminal('edit e.txt --old two --new three', { NO_COLOR: '1' });
    expect(shown).toContain('\n-two\n+three\n');
    expect(shown).not.toContain('\u001b');
  });

  it.skipIf(!hasScript)('let no file speak to the terminal (needs script(1))', () => {
    writeFileSync(join(folder, 'evil.txt'), 'a\u001b]0;owned\u0007b\n');
    expect(onTerminal('read evil.txt')).toContain('a\\u001b]0;owned\\u0007b');
    expect(onTerminal(`call read '{"path":"evil.txt"}'`)).toContain('a\\u001b]0;owned\\u0007b');
  });

  it.skipIf(!hasScript).each([
    ['a batch of calls', `call --batch < calls.jsonl`],
    ['calls of path', `path --stdin < paths.jsonl`],
    ['one call as JSON', `call read '{"path":"turned.json"}' --json`],
    ['an address as JSON', `path resolve oc://turned.json/a --json`],
  ])('escape in the JSON of %s what a terminal would obey, and keep its meaning (needs script(1))', (_, command) => {
    const meant = 'x\u009b2Jy\u202ez\u007f';
    writeFileSync(join(folder, 'turned.json'), `{"a":"${meant}"}\n`);
    writeFileSync(join(folder, 'calls.jsonl'), '{"id":1,"tool":"read","args":{"path":"turned.json"}}\n');
    writeFileSync(join(folder, 'paths.jsonl'), '["resolve","oc://turned.json/a"]\n');
    const shown = onTerminal(command);
    expect(shown).not.toMatch(/[\u007f-\u009f\u202e]/u);
    expect(JSON.stringify(JSON.parse(shown))).toContain(meant);
  });

  it.skipIf(!hasScript)('say what failed with its code, for a person (needs script(1))', () => {
    expect(onTerminal(`call read '{"path":"none.txt"}'`)).toMatch(/^FS_NOT_FOUND: /u);
  });
});
