/** Starts one command: in a terminal where it requests one and one is available, else with pipes or connections. */
import type { TerminalSize } from '../wire/session.ts';
import type { Exit, Launch } from '../hosts/process/launch.ts';
import type { PipePool } from './pipes.ts';
import type { Plumbing, Run, Streams } from './plumbing.ts';
import type { StartFailure } from './checks/refusal.ts';
import { whyNotRunnable } from './checks/runnable.ts';
import { startStages } from './stages.ts';
import { startTerminal } from './terminal.ts';

export interface Started {
  /** One per stage, in their order. */
  readonly pids: readonly number[];
  readonly streams: Streams;
  readonly warnings: readonly string[];
  /** Only where it has a terminal. */
  readonly resize?: (size: TerminalSize) => void;
}

export interface StartOptions {
  readonly plumbing: Plumbing;
  readonly pipes: PipePool;
  /** Nothing is started any more. */
  readonly isEnding: () => boolean;
  readonly spawned: (pid: number) => void;
  readonly started: (started: Started) => void;
  /** After `started`, when all programs have ended. */
  readonly ended: (exit: Exit, streams: Streams) => void;
}

/** Undefined when it has started. */
export async function startCommand(
  run: Run,
  { plumbing, pipes, isEnding, spawned, started, ended }: StartOptions,
): Promise<StartFailure | undefined> {
  const { launch } = run;
  const refused = whyNotRunnable(launch);
  if (refused !== undefined) return { reason: 'spawn-failed', message: refused };
  const streams = await plumbing.open(run);
  if (typeof streams === 'string') return { reason: 'spawn-failed', message: streams };
  const warnings: string[] = [];
  const { pty, ...rest } = launch;
  const over = (exit: Exit): void => ended(exit, streams);
  if (pty !== undefined) {
    const failure = await startTerminal(launch, pty, streams, {
      spawned,
      started: (pids, resize) => started({ pids, streams, warnings, resize }),
      ended: over,
    });
    if (failure === undefined) return undefined;
    if (failure.reason !== 'unavailable') {
      streams.discard();
      return failure;
    }
    warnings.push(`no PTY is available (${failure.message.slice(0, 1000)}); the command runs with pipes`);
  }
  if (isEnding()) {
    streams.discard();
    return { reason: 'spawn-failed', message: 'no more commands can be started' };
  }
  // With pipes instead of a terminal, it has the streams that the terminal would have.
  const withPipes: Launch = { ...rest, streams: 'merged', stdin: 'open' };
  return startStages(pty === undefined ? launch : withPipes, streams, pipes, {
    spawned,
    started: (pids) => started({ pids, streams, warnings }),
    ended: over,
  });
}
