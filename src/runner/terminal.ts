/** Starts a program in a terminal. A process has one terminal at most. */
import { realpathSync } from 'node:fs';
import { basename, isAbsolute, join } from 'node:path';
import { messageOf } from '../base/message-of.ts';
import type { TerminalSize } from '../wire/session.ts';
import { endStarted } from '../hosts/process/kill.ts';
import type { Exit, Launch, LaunchStage } from '../hosts/process/launch.ts';
import {
  holdOtherSide,
  type LibraryTerminal,
  loadTerminalLibrary,
  type TerminalLibrary,
  watchTerminalEnd,
} from '../hosts/process/terminal-library.ts';
import { openFolder, isStillSame, lookAtProgram, type Seen } from './checks/identity.ts';
import { withMask } from './mask.ts';
import type { Streams } from './plumbing.ts';
import { spawnFailure, type StartFailure } from './checks/refusal.ts';

export interface TerminalEvents {
  /** Immediately after the start. */
  spawned(pid: number): void;
  started(pids: readonly number[], resize: (size: TerminalSize) => void): void;
  ended(exit: Exit): void;
}

/** Nothing was started, and pipes may be tried. */
interface Unavailable {
  readonly reason: 'unavailable';
  readonly message: string;
}

/** The descriptors of this process's terminals, which programs must not inherit. */
export const openTerminals = new Set<number>();

/** Undefined when the program has started. */
export async function startTerminal(
  launch: Launch,
  size: TerminalSize,
  streams: Streams,
  events: TerminalEvents,
): Promise<StartFailure | Unavailable | undefined> {
  if (openTerminals.size > 0) return unavailable('without a runner process only one command can have a terminal');
  let library: TerminalLibrary;
  try {
    library = await loadTerminalLibrary();
  } catch (error) {
    return unavailable(firstLine(error));
  }
  const opened = open(library, launch, size);
  if ('reason' in opened) return opened;
  const { terminal, seen } = opened;
  const { pid, fd, _socket: screen } = terminal;
  events.spawned(pid);
  const otherSide = holdOtherSide(terminal);
  if (launch.stages[0].identity !== undefined && !isStillSame(seen)) {
    endStarted(terminal);
    screen.resume();
    watchTerminalEnd(terminal, otherSide, { isBlocked: false }, () => openTerminals.delete(fd));
    return { reason: 'changed', message: `${launch.stages[0].file} was changed while it was started` };
  }
  const reading = streams.carry(screen);
  watchTerminalEnd(terminal, otherSide, reading, (exit) => {
    openTerminals.delete(fd);
    events.ended(exit);
  });
  events.started([pid], ({ cols, rows }) => {
    if (cols > 0 && rows > 0 && !screen.destroyed) terminal.resize(cols, rows);
  });
  return undefined;
}

function open(
  library: TerminalLibrary,
  launch: Launch,
  { cols, rows }: TerminalSize,
): StartFailure | Unavailable | { readonly terminal: LibraryTerminal; readonly seen: Seen } {
  const [stage] = launch.stages;
  const { cwd, env, umask } = launch;
  try {
    const folder = openFolder(launch);
    if (typeof folder === 'string') return { reason: 'changed', message: folder };
    folder.release();
    const path = pathUnderName(stage, env['PATH']);
    const seen = lookAtProgram(stage, path);
    if (typeof seen === 'string') return { reason: 'changed', message: seen };
    const options = { name: env['TERM'] ?? 'xterm-256color', cols, rows, cwd, env: { ...env }, encoding: null };
    const terminal = withMask(umask, () => library.spawn(path, stage.argv.slice(1), options));
    openTerminals.add(terminal.fd);
    if (terminal.pid <= 1) throw new Error(`the terminal's program has the pid ${terminal.pid}`);
    return { terminal, seen };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return unavailable(code === undefined ? firstLine(error) : spawnFailure(stage.file, error as Error));
  }
}

function unavailable(message: string): Unavailable {
  return { reason: 'unavailable', message };
}

function firstLine(error: unknown): string {
  return messageOf(error).split('\n', 1)[0] ?? '';
}

/**
 * The library passes the path of a program as its name, and some programs act by their name. So this returns a path that leads to
 * the program and ends in that name, else the program's own path.
 */
function pathUnderName({ file, argv }: LaunchStage, path = ''): string {
  const [name = file] = argv;
  if (basename(name) === basename(file)) return file;
  const candidates = isAbsolute(name)
    ? [name]
    : name.includes('/')
      ? []
      : path
          .split(':')
          .filter(isAbsolute)
          .map((folder) => join(folder, name));
  return candidates.find((candidate) => leadsTo(candidate, file)) ?? file;
}

function leadsTo(candidate: string, file: string): boolean {
  try {
    return realpathSync(candidate) === file;
  } catch {
    return false; // it does not exist
  }
}
