/** What reaches the terminal of the operator, through the real program on a real pseudo-terminal (script(1)). */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { daemonPlace } from '../../support/daemon.ts';
import { makeFolder } from '../../support/folder.ts';

const program = resolve(import.meta.dirname, '../../../dist/pincer.cjs');
const hasScript = process.platform === 'linux' && spawnSync('script', ['--version']).status === 0;

const HOSTILE = 'a\\033]52;c;aGk=\\007\\033]0;owned\\007\\033[6n\\033[2J\\033[5A\\033[32mgreen\\033[0m\\033[cb\\n';
const GREEN = 'a\u001b[32mgreen\u001b[0mb\n';
const RAW = 'a\u001b]52;c;aGk=\u0007\u001b]0;owned\u0007\u001b[6n\u001b[2J\u001b[5A\u001b[32mgreen\u001b[0m\u001b[cb\n';

// biome-ignore lint/suspicious/noControlCharactersInRegex: the form of a style
const STYLE = /\u001b\[[\d;]*m/gu;
// biome-ignore lint/suspicious/noControlCharactersInRegex: all but tab and line feed
const CONTROL = /[\0-\u0008\u000b-\u001f\u007f-\u009f]/u;

function operator() {
  const { env } = daemonPlace();
  const folder = makeFolder({ 'hostile.sh': `printf '${HOSTILE}'\n`, 'errors.sh': `printf '${HOSTILE}' >&2\n` });
  const pincer = `'${process.execPath}' '${program}'`;
  const options = { cwd: folder, env: { ...env, TERM: 'xterm', PINCER_DAEMON_IDLE_MS: '20000' }, timeout: 60_000 };
  return {
    folder,
    /** Everything that arrives at the terminal. Input is at its end, so that no command waits for it. */
    onTerminal: (command: string): string => {
      const typed = command.replaceAll('pincer ', `${pincer} `);
      const ran = spawnSync('script', ['-qec', `${typed} < /dev/null`, '/dev/null'], {
        ...options,
        encoding: 'utf8',
        input: '',
      });
      return ran.stdout.replaceAll('\r\n', '\n');
    },
    inPipe: (...args: readonly string[]) => {
      const { stdout, stderr, status } = spawnSync(process.execPath, [program, ...args], {
        ...options,
        encoding: 'utf8',
      });
      return { stdout, stderr, status };
    },
  };
}

describe.skipIf(!hasScript)('B17: a foreign program and the terminal of the operator (needs script(1))', () => {
  it('exec shows colours and drops all else, on both streams; --raw passes everything; a pipe gets the bytes', () => {
    const { onTerminal, inPipe } = operator();
    expect(onTerminal('pincer exec -- sh hostile.sh')).toBe(GREEN);
    expect(onTerminal('pincer exec -- sh errors.sh')).toBe(GREEN);
    expect(onTerminal('pincer exec -- sh errors.sh > out')).toBe('agreenb\n');
    expect(onTerminal('pincer exec --raw -- sh hostile.sh')).toBe(RAW);
    expect(onTerminal('NO_COLOR=1 pincer exec -- sh hostile.sh')).toBe('agreenb\n');
    expect(inPipe('exec', '--', 'sh', 'hostile.sh').stdout).toBe(RAW);
  }, 120_000);

  it('logs and attach do the same for a session of the past, and events for what it said', () => {
    const { onTerminal, inPipe } = operator();
    const id = inPipe('exec', '--background', '--', 'sh', 'hostile.sh').stdout.trim();
    expect(onTerminal(`pincer logs -q -f ${id}`)).toBe(GREEN);
    expect(onTerminal(`pincer attach ${id}`)).toBe(GREEN);
    expect(onTerminal(`pincer logs --raw ${id}`)).toBe(RAW);
    expect(onTerminal(`pincer attach --raw ${id}`)).toBe(RAW);
    expect(inPipe('logs', id).stdout).toBe(RAW);
    expect(inPipe('attach', id).stdout).toBe(RAW);
    const events = onTerminal('pincer events').replace(STYLE, '');
    expect(events).toContain('agreenb');
    expect(events).not.toMatch(CONTROL);
  }, 120_000);
});

/** A title, a cleared screen, a query by a C1 control, a carriage return and a change of direction. */
const EVIL = 'e\u001b]0;owned\u0007\u001b[2J\rv\u009b6n\u202e';

/** `$E` is the text of others: a file name, a value, a command, an argument. */
const SHOWN_BY = [
  'read "$E.txt"',
  'read "$E.none"',
  'edit "$E.txt" --old v --new w',
  'changes --diff',
  'undo',
  'path ls a.json',
  'path find "oc://a.yaml/*"',
  'path resolve oc://a.yaml/key --raw',
  'path resolve oc://a.yaml/key --json',
  'path resolve "oc://$E.json/a"',
  'call read "$E"',
  'call exec - < call.json',
  'approvals list',
  'approvals list --json',
  'policy explain "touch $E"',
  'exec --background -- printf "$E"',
  'ps --all',
  'status',
  'events',
  'events --audit',
  'doctor',
  'config set "$E" 1',
  'config validate',
  'kill "$E"',
  '"$E"',
];

describe.skipIf(!hasScript)('B17: text of others in the answers of commands (needs script(1))', () => {
  it('is shown and not obeyed, whichever command prints it', () => {
    const { folder, onTerminal } = operator();
    const files = {
      [`${EVIL}.txt`]: `${EVIL}\n`,
      E: EVIL,
      'a.json': JSON.stringify({ [EVIL]: EVIL }),
      'a.yaml': `key: ${JSON.stringify(EVIL)}\n`,
      'call.json': JSON.stringify({ command: `touch '${EVIL}'`, host: 'gateway' }),
      'pincer.jsonc': JSON.stringify({ [EVIL]: EVIL }),
      'all.sh': SHOWN_BY.map((line, at) => `echo "<${at}>"; E=$(cat E); pincer ${line}\n`).join(''),
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    const printed = onTerminal('pincer() { pincer "$@"; }; . ./all.sh').replace(STYLE, '');
    const parts = printed.split(/^<\d+>$/mu).slice(1);
    expect(parts).toHaveLength(SHOWN_BY.length);
    expect(SHOWN_BY.filter((_, at) => CONTROL.test(parts[at]!) || parts[at]!.trim() === '')).toEqual([]);
    expect(printed).not.toContain('\u202e');
  }, 240_000);
});

describe.skipIf(!hasScript)('B24: the form of an error (needs script(1))', () => {
  it('follows standard error, and a flag decides over it', () => {
    const { folder, onTerminal, inPipe } = operator();
    expect(onTerminal('pincer path resolve oc://none.json/a > out')).toMatch(/^FS_NOT_FOUND: .*\nhint: /u);
    expect(onTerminal('pincer path resolve oc://none.json/a 2> err')).toBe('');
    expect(JSON.parse(readFileSync(join(folder, 'err'), 'utf8'))).toMatchObject({ error: { code: 'FS_NOT_FOUND' } });
    expect(onTerminal('pincer nothing > out')).toMatch(/^USAGE_UNKNOWN_COMMAND: /u);
    expect(onTerminal('pincer kill none-none > out')).toMatch(/^EXEC_SESSION_UNKNOWN: /u);
    expect(JSON.parse(onTerminal('pincer path resolve oc://none.json/a --json'))).toHaveProperty('error');
    expect(inPipe('path', 'resolve', 'oc://none.json/a', '--human').stderr).toMatch(/^FS_NOT_FOUND: /u);
    expect(JSON.parse(inPipe('path', 'resolve', 'oc://none.json/a').stderr)).toHaveProperty('error');
  }, 120_000);
});
