/**
 * A scenario is a text file: a sentence, the files of a workspace, and a session in a shell with everything that is printed.
 *
 *   What this scenario shows.
 *   === config.jsonc
 *   {"a": 1}
 *   === session
 *   $ pincer path resolve oc://config.jsonc/a --human
 *   leaf @ L1: "1" (number)
 *   $ pincer path resolve oc://config.jsonc/b --human
 *   not found: oc://config.jsonc/b
 *   [exit 1]
 *
 * A line of standard error begins with `! `, an exit code other than 0 stands in brackets, `/ws` is the workspace and `/home`
 * the folder around it.
 * A command may go on over several lines while a quote is open, each but the first marked `> `. A file called `../NAME` stands
 * in the home. A daemon that a session starts is ended with it, and leaves by itself where that cannot be done.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

export interface Exchange {
  readonly command: string;
  readonly printed: string;
}

export interface Scenario {
  readonly title: string;
  readonly files: ReadonlyMap<string, string>;
  readonly session: readonly Exchange[];
}

/** How long a test of a scenario may take: each of its commands starts a process or more. */
export const scenarioMs = ({ session }: Scenario): number => 60_000 + session.length * 5_000;

/** A command that has not ended by then hangs. */
const HANGS_MS = 60_000;

export function readScenario(text: string): Scenario {
  const [head = '', ...parts] = text.split(/^=== /m);
  const files = new Map<string, string>();
  let session: Exchange[] = [];
  for (const part of parts) {
    const end = part.indexOf('\n');
    const name = part.slice(0, end);
    const body = part.slice(end + 1);
    if (name === 'session') session = readSession(body);
    else files.set(name, body);
  }
  return { title: head.trim(), files, session };
}

function readSession(body: string): Exchange[] {
  return body
    .split(/^\$ /m)
    .slice(1)
    .map((part) => {
      const lines = part.split('\n');
      let count = 1;
      while (lines[count]?.startsWith('> ')) count++;
      const command = lines.slice(0, count).map((line, at) => (at === 0 ? line : line.slice(2)));
      return { command: command.join('\n'), printed: lines.slice(count).join('\n') };
    });
}

/** Runs the session through a real shell with the built program on its PATH and gives what it printed. */
export function play(scenario: Scenario, node: string = process.execPath): Exchange[] {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'pincer-scenario-')));
  const workspace = join(folder, 'ws');
  const bin = join(folder, 'bin');
  const env = {
    PATH: `${bin}:${process.env['PATH']}`,
    HOME: folder,
    LANG: 'C.UTF-8',
    PINCER_STATE_DIR: join(folder, 'state'),
    PINCER_DAEMON_IDLE_MS: '20000',
  };
  try {
    mkdirSync(workspace);
    mkdirSync(bin);
    const program = resolve(import.meta.dirname, '../../dist/pincer.cjs');
    writeFileSync(join(bin, 'pincer'), `#!/bin/sh\nexec '${node}' '${program}' "$@"\n`, { mode: 0o755 });
    for (const [name, body] of scenario.files) {
      mkdirSync(dirname(join(workspace, name)), { recursive: true });
      writeFileSync(join(workspace, name), body);
    }
    return scenario.session.map(({ command }) => {
      const ran = spawnSync('sh', ['-c', command], {
        cwd: workspace,
        env,
        encoding: 'utf8',
        input: '',
        timeout: HANGS_MS,
      });
      const marked = ran.stderr.replace(/^(?=.)/gm, '! ');
      const out = ran.stdout === '' || ran.stdout.endsWith('\n') ? ran.stdout : `${ran.stdout}<no newline>\n`;
      const exit = ran.status === 0 ? '' : `[exit ${ran.status}]\n`;
      return { command, printed: (out + marked + exit).replaceAll(workspace, '/ws').replaceAll(folder, '/home') };
    });
  } finally {
    try {
      endDaemon(join(bin, 'pincer'), env);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

/** Ends the daemon that the session has left, with all that runs in it. */
function endDaemon(
  pincer: string,
  env: Readonly<Record<string, string>> & { readonly PINCER_STATE_DIR: string },
): void {
  if (!existsSync(join(env.PINCER_STATE_DIR, 'daemon'))) return;
  const { status, stderr } = spawnSync(pincer, ['daemon', 'stop', '--force'], {
    env,
    encoding: 'utf8',
    timeout: HANGS_MS,
  });
  if (status !== 0) throw new Error(`the daemon of a scenario was not ended: ${stderr}`);
}

/** The scenario's text with what was really printed. */
export function writeScenario(text: string, played: readonly Exchange[]): string {
  const at = text.indexOf('=== session\n');
  const session = played.map(({ command, printed }) => `$ ${command.replaceAll('\n', '\n> ')}\n${printed}`);
  return `${text.slice(0, at)}=== session\n${session.join('')}`;
}
