/** A command in a terminal of its own, in a process that has no other: the terminal library leaves terminals open in all that is started later. */
import { closeSync, constants as files, openSync } from 'node:fs';
import { messageOf } from '../base/message-of.ts';
import type { TerminalSize } from '../wire/session.ts';
import { withMask } from './mask.ts';
import { pathUnderName } from './name.ts';
import { whyNotRunnable } from './runnable.ts';
import {
  holdOtherSide,
  type LibraryTerminal,
  loadTerminalLibrary,
  type TerminalLibrary,
  watchTerminalEnd,
} from '../hosts/process/terminal-library.ts';
import type { InsideLaunch } from '../hosts/sandbox/link/messages.ts';
import type { FrameSender } from '../hosts/channel/sending.ts';
import type { Handle } from './handle.ts';
import { openInlet } from './inlet.ts';
import { COMMANDS_GO, volunteer } from './oom.ts';
import { openOutlet } from './outlet.ts';

export interface TerminalEvents {
  readonly id: number;
  readonly sender: FrameSender;
  readonly gone: () => void;
}

/** Starts the command; the reason in words when no terminal can be had and nothing was started. */
export async function startInTerminal(
  launch: InsideLaunch,
  size: TerminalSize,
  { id, sender, gone }: TerminalEvents,
): Promise<Handle | string> {
  let terminal: LibraryTerminal;
  try {
    const opened = open(await loadTerminalLibrary(), launch, size);
    if (typeof opened === 'string') return opened;
    terminal = opened;
  } catch (error) {
    return messageOf(error).split('\n', 1)[0] ?? '';
  }
  volunteer(terminal.pid, COMMANDS_GO);
  const slave = holdOtherSide(terminal);
  const screen = terminal['_socket'];
  sender.message(id, { type: 'started', pid: terminal.pid, pty: true, warnings: [] });
  const outlet = openOutlet(screen, 'out', id, sender);
  const inlet = openInlet(screen, id, sender);
  let pid: number | undefined = terminal.pid;
  watchTerminalEnd(terminal, slave, outlet, (exit) => {
    pid = undefined;
    inlet.close();
    sender.stream('out', id);
    sender.message(id, { type: 'exit', exit });
    gone();
  });
  return {
    get pid() {
      return pid;
    },
    input: (bytes) => inlet.write(bytes),
    endInput: () => {}, // the end of input is a character here, which the gateway sends
    resize: ({ cols, rows }) => {
      if (cols > 0 && rows > 0 && !screen.destroyed) terminal.resize(cols, rows);
    },
    grant: (_stream, bytes) => outlet.grant(bytes),
  };
}

function open(library: TerminalLibrary, launch: InsideLaunch, { cols, rows }: TerminalSize): LibraryTerminal | string {
  const { file, argv, cwd, env, umask } = launch;
  const stage = { file, argv };
  const why = whyNotRunnable({ ...launch, stages: [stage] });
  if (why !== undefined) return why;
  closeSync(openSync(cwd, files.O_RDONLY | files.O_DIRECTORY)); // the library would start it elsewhere
  const name = env['TERM'] ?? 'xterm-256color';
  const options = { name, cols, rows, cwd, env: { ...env }, encoding: null };
  const terminal = withMask(umask, () => library.spawn(pathUnderName(stage, env['PATH']), argv.slice(1), options));
  if (terminal.pid <= 1) throw new Error(`the terminal's program has the number ${terminal.pid}`);
  return terminal;
}
