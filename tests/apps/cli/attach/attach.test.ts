import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { daemonPlace, type Place, runProgram } from '../../../support/daemon.ts';
import { until } from '../../../support/patience.ts';

const program = resolve(import.meta.dirname, '../../../../dist/pincer.cjs');
const hasTmux = spawnSync('tmux', ['-V']).status === 0;

/** Draws on the alternate screen, waits for a line, and ends with a code of its own. */
const DRAWS = `printf '\\033[?1049h\\033[2J\\033[3;5HHELLO'; read x; printf '\\033[?1049l'; echo "got $x"; exit 9`;

/** A terminal that a person would sit at. */
function terminal(place: Place, command: string) {
  const socket = join(place.env['HOME']!, 'tmux');
  const tmux = (...args: string[]): string =>
    spawnSync('tmux', ['-S', socket, '-f', '/dev/null', ...args], {
      env: { ...place.env, LC_ALL: 'C.UTF-8' },
      encoding: 'utf8',
    }).stdout;
  onTestFinished(() => void tmux('kill-server'));
  tmux('new-session', '-d', '-x', '80', '-y', '20', `${command}; echo "code $?"; exec sleep 60`);
  const screen = (): string => tmux('capture-pane', '-p');
  return {
    screen,
    type: (...keys: string[]) => tmux('send-keys', ...keys),
    shows: (text: string) => until(() => screen().includes(text), `showing ${text}`),
  };
}

async function started(place: Place): Promise<string> {
  const { stdout } = await runProgram(program, place, ['exec', '--background', '--pty', '-c', DRAWS]);
  const id = stdout.trim();
  const drawn = () => runProgram(program, place, ['logs', '--raw', id]);
  for (let tries = 0; tries < 100 && !(await drawn()).stdout.includes('HELLO'); tries++);
  return id;
}

describe.skipIf(!hasTmux)('pincer attach at a terminal (needs tmux)', () => {
  it('shows the screen as it is, passes keys on, and ends as the command does', async () => {
    const place = daemonPlace();
    const id = await started(place);
    const person = terminal(place, `'${process.execPath}' '${program}' attach ${id}`);
    await person.shows('HELLO');
    expect(person.screen().split('\n').slice(0, 3)).toEqual(['', '', '    HELLO']);
    person.type('you', 'Enter');
    await person.shows('code 9');
    expect(person.screen()).toContain('got you');
    expect(person.screen()).toContain(`pincer: ${id}: exit 9`);
  });

  it('leaves with Ctrl-\\, and the session goes on in the size of the terminal', async () => {
    const place = daemonPlace();
    const id = await started(place);
    const person = terminal(place, `'${process.execPath}' '${program}' attach ${id}`);
    await person.shows('HELLO');
    person.type('C-\\');
    await person.shows('code 0');
    // The terminal wraps the line of a long name.
    expect(person.screen().replaceAll('\n', '')).toContain(
      `pincer: detached from ${id}; attach again with pincer attach ${id}`,
    );
    const [session] = JSON.parse((await runProgram(program, place, ['ps'])).stdout) as unknown[];
    expect(session).toMatchObject({ id, status: 'running', pty: { cols: 80, rows: 20 } });
  });
});
