/** A program in a terminal. The terminal lives here, and what passes through it is relayed to the launcher. */
import { messageOf } from '../base/message-of.ts';
import type { TerminalSize } from '../wire/session.ts';
import type { Exit, Launch } from '../hosts/process/launch.ts';
import {
  holdOtherSide,
  type LibraryTerminal,
  loadTerminalLibrary,
  type TerminalLibrary,
  watchTerminalEnd,
} from '../hosts/process/terminal-library.ts';
import { connectStreams, type Address, type Streams } from './connect.ts';
import { withMask } from './mask.ts';
import { holdFolder, isStillSame, lookAtProgram, type Seen } from './identity.ts';
import { pathUnderName } from './name.ts';
import { spawnFailure } from './refusal.ts';

/** The hand on a terminal. */
export interface Terminal {
  resize(size: TerminalSize): void;
}

export interface TerminalEvents {
  started(pids: readonly number[], terminal: Terminal): void;
  ended(exit: Exit): void;
}

/** `unavailable`: nothing was started, and pipes may be tried. */
export type TerminalOutcome =
  | { readonly kind: 'started' }
  | { readonly kind: 'changed'; readonly message: string }
  /** The streams are open already and good for pipes, too. */
  | { readonly kind: 'unavailable'; readonly message: string; readonly streams?: Streams };

/** The terminals of this process, which programs that it starts must not get. */
export const openTerminals = new Set<number>();

/** Starts the one program of a launch in a terminal. */
export async function startTerminal(
  launch: Launch,
  size: TerminalSize,
  address: Address,
  events: TerminalEvents,
): Promise<TerminalOutcome> {
  if (openTerminals.size > 0)
    return { kind: 'unavailable', message: 'without a spawner only one command can have a terminal' };
  let library: TerminalLibrary;
  try {
    library = await loadTerminalLibrary();
  } catch (error) {
    return { kind: 'unavailable', message: firstLine(error) };
  }
  const streams = await connectStreams(address, launch);
  if (streams === undefined) return { kind: 'unavailable', message: 'no stream to the launcher could be opened' };
  const outcome = open(library, launch, size);
  if ('kind' in outcome) {
    if (outcome.kind === 'unavailable') return { ...outcome, streams };
    for (const socket of Object.values(streams)) socket.destroy();
    return outcome;
  }
  const { terminal, seen } = outcome;
  const slave = holdOtherSide(terminal);
  if (launch.stages[0].identity !== undefined && !isStillSame(seen)) {
    process.kill(terminal.pid, 'SIGKILL');
    relay(terminal, slave, streams, () => {});
    return { kind: 'changed', message: `${launch.stages[0].file} was changed while it was started` };
  }
  events.started([terminal.pid], {
    resize: ({ cols, rows }) => {
      if (cols > 0 && rows > 0 && !terminal['_socket'].destroyed) terminal.resize(cols, rows);
    },
  });
  relay(terminal, slave, streams, (exit) => events.ended(exit));
  return { kind: 'started' };
}

function open(
  library: TerminalLibrary,
  launch: Launch,
  size: TerminalSize,
): TerminalOutcome | { terminal: LibraryTerminal; seen: Seen } {
  const [stage] = launch.stages;
  try {
    const folder = holdFolder(launch);
    if (typeof folder === 'string') return { kind: 'changed', message: folder };
    folder.release();
    const path = pathUnderName(stage, launch.env['PATH']);
    const seen = lookAtProgram(stage, path);
    if (typeof seen === 'string') return { kind: 'changed', message: seen };
    const options = {
      name: launch.env['TERM'] ?? 'xterm-256color',
      cols: size.cols,
      rows: size.rows,
      cwd: launch.cwd,
      env: { ...launch.env },
      encoding: null,
    };
    const terminal = withMask(launch.umask, () => library.spawn(path, stage.argv.slice(1), options));
    openTerminals.add(terminal.fd);
    if (terminal.pid <= 1) throw new Error(`the terminal's program has the number ${terminal.pid}`);
    return { terminal, seen };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return {
      kind: 'unavailable',
      message: code === undefined ? firstLine(error) : spawnFailure(stage.file, error as Error),
    };
  }
}

function relay(
  terminal: LibraryTerminal,
  slave: number | undefined,
  streams: Streams,
  ended: (exit: Exit) => void,
): void {
  const { _socket: screen } = terminal;
  const { out, in: input } = streams;
  let blocked = false;

  screen.on('data', (bytes: Buffer) => {
    if (out.destroyed || out.write(bytes)) return;
    blocked = true;
    screen.pause();
  });
  out.on('drain', () => {
    blocked = false;
    screen.resume();
  });
  out.on('error', () => screen.resume()); // the launcher hears no more; the program must not hang on that
  input?.on('data', (bytes: Buffer) => {
    if (screen.destroyed || screen.write(bytes)) return;
    input.pause();
    screen.once('drain', () => input.resume());
  });
  input?.on('error', () => {});
  input?.resume();

  const reading = {
    get isBlocked() {
      return blocked && !out.destroyed;
    },
  };
  watchTerminalEnd(terminal, slave, reading, (exit) => {
    openTerminals.delete(terminal.fd);
    input?.destroy();
    // This process may leave after that news, so it comes when all that was relayed is on its way.
    if (out.destroyed) ended(exit);
    else {
      out.once('close', () => ended(exit));
      out.end(() => out.destroy());
    }
  });
}

function firstLine(error: unknown): string {
  return messageOf(error).split('\n', 1)[0] ?? '';
}
