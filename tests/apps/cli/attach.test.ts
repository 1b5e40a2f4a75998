/** Full-screen programs as a person meets them: in a real terminal (tmux), through the real program and its daemon. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { daemonPlace } from '../../support/daemon.ts';
import { until } from '../../support/patience.ts';
import { makeFolder } from '../../support/folder.ts';

const program = resolve(import.meta.dirname, '../../../dist/pincer.cjs');
const has = (command: string, ...args: readonly string[]) => spawnSync(command, args).status === 0;
const hasTmux = has('tmux', '-V');
const hasVim = hasTmux && has('vim', '--version');
const hasLess = hasTmux && has('less', '--version');

/** A terminal of 80 by 24 with a shell in it, in a folder of its own. */
function openTerminal(files: Readonly<Record<string, string>> = {}) {
  const place = daemonPlace();
  const folder = makeFolder(files);
  const socket = `pincer-${process.pid}-${Math.random().toString(36).slice(2)}`;
  const env = {
    ...place.env,
    LANG: 'C.UTF-8',
    SHELL: '/bin/sh',
    PS1: '$ ',
    TMUX_TMPDIR: folder,
    PINCER_DAEMON_IDLE_MS: '20000',
  };
  const bin = join(folder, '.bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'pincer'), `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`, { mode: 0o755 });
  const withBin = { ...env, PATH: `${bin}:${place.env['PATH']}` };
  const run = (command: string, args: readonly string[]) =>
    spawnSync(command, args, { cwd: folder, env: withBin, encoding: 'utf8', timeout: 60_000 });
  const tmux = (...args: readonly string[]) => {
    const { status, stdout, stderr } = run('tmux', ['-L', socket, '-f', '/dev/null', ...args]);
    if (status !== 0) throw new Error(`tmux ${args.join(' ')}: ${stderr}`);
    return stdout;
  };
  tmux('new-session', '-d', '-x', '80', '-y', '24', '/bin/sh');
  onTestFinished(() => void tmux('kill-server'));
  const screen = () => tmux('capture-pane', '-p').replace(/\n+$/u, '').split('\n');
  return {
    folder,
    screen,
    type: (text: string) => tmux('send-keys', '-l', text),
    keys: (...names: readonly string[]) => tmux('send-keys', ...names),
    enter: (line: string) => tmux('send-keys', line, 'Enter'),
    resize: (cols: number, rows: number) => tmux('resize-window', '-x', `${cols}`, '-y', `${rows}`),
    /** Waits until the screen fits, and gives it. */
    shows: async (fits: (lines: readonly string[]) => boolean, what: string): Promise<readonly string[]> => {
      try {
        await until(() => fits(screen()), what);
      } catch (error) {
        throw new Error(`${what}: the screen is\n${screen().join('\n')}`, { cause: error });
      }
      return screen();
    },
    pincer: (...args: readonly string[]) => run(join(bin, 'pincer'), args),
  };
}

const blank = (count: number) => Array.from({ length: count }, () => '~');

describe('a full-screen program in a terminal', () => {
  it.skipIf(!hasVim)(
    'vim is driven by keys, drawn as it is without us, and writes its file (needs tmux and vim)',
    async () => {
      const { folder, enter, type, keys, shows } = openTerminal({ 'poem.txt': 'one\ntwo\n' });
      enter('pincer exec --pty -- vim -u NONE -N poem.txt; echo "ended with $?"');
      await shows((lines) => lines[2] === '~' && lines[0] === 'one', 'vim opens');
      keys('G');
      type('othree grün 漢');
      keys('Escape');
      type(':echo &columns "by" &lines');
      keys('Enter');
      const drawn = await shows((lines) => lines[23]?.startsWith('80 by 24') === true, 'the size of the terminal');
      expect(drawn.slice(0, 23)).toEqual(['one', 'two', 'three grün 漢', ...blank(20)]);
      type(':wq');
      keys('Enter');
      await shows((lines) => lines.includes('ended with 0'), 'the end');
      expect(readFileSync(join(folder, 'poem.txt'), 'utf8')).toBe('one\ntwo\nthree grün 漢\n');
    },
    60_000,
  );

  it.skipIf(!hasLess)(
    'less is left, found again as it was, resized, and left for good (needs tmux and less)',
    async () => {
      const text = Array.from({ length: 200 }, (_, i) => `line ${i + 1}\n`).join('');
      const { enter, type, keys, resize, shows, pincer } = openTerminal({ 'long.txt': text });
      const id = pincer('exec', '--pty', '--background', '--', 'less', 'long.txt').stdout.trim();
      expect(id).toMatch(/^[a-z]+-[a-z]+$/u);
      enter(`pincer attach ${id}; echo "left with $?"`);
      await shows((lines) => lines[0] === 'line 1' && lines[22] === 'line 23', 'less opens');
      type(' ');
      const second = await shows(
        (lines) => lines[0] === 'line 24' && lines[22] === 'line 46' && lines[23] === ':',
        'the second page',
      );
      keys('C-\\');
      await shows((lines) => lines.includes('left with 0'), 'the shell again');
      const { details } = JSON.parse(
        pincer('call', 'process', JSON.stringify({ action: 'screen', sessionId: id })).stdout,
      ) as {
        details: Readonly<Record<string, unknown>>;
      };
      expect(details).toEqual({
        status: 'running',
        sessionId: id,
        lines: second,
        cursor: { row: 23, col: 1 },
        cols: 80,
        rows: 24,
        title: '',
        alternate: true,
      });
      enter(`clear; pincer attach ${id}; echo "ended with $?"`);
      expect(await shows((lines) => lines[0] === 'line 24' && lines[23] === ':', 'the page as it was left')).toEqual(
        second,
      );
      resize(60, 10);
      await shows((lines) => lines[0] === 'line 24' && lines[8] === 'line 32' && lines.length === 10, 'a smaller page');
      type('q');
      await shows((lines) => lines.includes('ended with 0'), 'the end');
    },
    60_000,
  );
});
