/** `pincer attach`: connects the terminal to a session. */
import { shapeOf } from '../definition.ts';
import type { Caller } from '../../../wire/exec.ts';
import type { FollowEvent, SessionInfo } from '../../../wire/session.ts';
import type { Client } from '../../client/socket.ts';
import { exitCodeOfSession, sessionState } from '../exec/session-end.ts';
import { forwardInput, inputKind, sessionSink } from '../exec/stdin.ts';
import { takeTerminal, terminalSize } from '../exec/terminal.ts';
import { reportNotice } from '../failure.ts';
import { operatorCaller } from '../gateway.ts';
import { runCommand } from '../run-command.ts';
import { type Output, quietly } from '../../terminal/output.ts';
import { withSessions } from '../if-running.ts';
import { foreignOutput } from '../../terminal/filter/foreign-output.ts';
import { readArguments } from '../arguments.ts';
import { definition } from './definition.ts';
import { enterScreen, leaveScreen } from './screen.ts';

const SHAPE = shapeOf(definition);

export function runAttach(argv: readonly string[], output: Output): Promise<number> {
  return runCommand(
    definition,
    argv,
    output,
    async () => {
      const { positionals, flags } = readArguments(SHAPE, argv);
      return withSessions(positionals, async (client) => {
        const caller = operatorCaller();
        const session = await client.call('session.wait', { caller, sessionId: positionals[0]!, waitMs: 0 });
        const raw = flags.has('raw');
        return attach({ client, caller, session, raw, output: quietly(output, flags.has('quiet')) });
      });
    },
    { errorJson: argv.includes('--json') },
  );
}

interface Attached {
  readonly client: Client;
  readonly caller: Caller;
  readonly session: SessionInfo;
  readonly raw: boolean;
  readonly output: Output;
}

async function attach(attached: Attached): Promise<number> {
  const { client, caller, session, raw, output } = attached;
  const sessionId = session.id;
  const left = new AbortController();
  const onTerminal = inputKind() === 'terminal' && output.isTerminal;
  if (onTerminal && session.status === 'running')
    reportNotice(`attached to ${sessionId}; Ctrl-\\ detaches`, false, output);
  const painted = onTerminal && session.pty !== undefined && session.status === 'running';
  const after = painted ? await enterScreen(attached) : 0;
  const input = session.status === 'running' ? takeInput(attached, left, onTerminal) : undefined;
  // A running session with its own terminal may send any escape sequence: it also gets the keys of this terminal.
  const foreign = foreignOutput(output, raw || painted);
  let ended: SessionInfo;
  try {
    const onEvent = (event: FollowEvent): void => {
      if (event.type === 'output') foreign.out(event.bytes);
    };
    ended = await client.follow({ caller, sessionId, after }, onEvent, left.signal);
  } finally {
    input?.stop();
    foreign.end();
    if (painted) leaveScreen(output);
  }
  if (left.signal.aborted) {
    reportNotice(`detached from ${sessionId}; attach again with pincer attach ${sessionId}`, false, output);
    return 0;
  }
  if (onTerminal) reportNotice(`${sessionId}: ${sessionState(ended)}`, false, output);
  return exitCodeOfSession(ended);
}

/** Forwards single keys to a session with a terminal, and lines to one without. */
function takeInput({ client, caller, session }: Attached, left: AbortController, onTerminal: boolean) {
  const sink = sessionSink(client, caller, session.id);
  const failed = (): void => left.abort();
  const detach = (): void => left.abort();
  const kind = inputKind();
  if (onTerminal && session.pty !== undefined) {
    const resize = (size: { cols: number; rows: number }): void =>
      void client.call('session.resize', { caller, sessionId: session.id, size }).catch(failed);
    const size = terminalSize();
    if (size !== undefined) resize(size);
    return takeTerminal({ sink, failed, detach, resize });
  }
  if (kind === 'none') return undefined;
  if (kind !== 'terminal') return forwardInput(kind, sink, failed);
  // The terminal is in line mode: Ctrl-\ arrives as SIGQUIT.
  process.on('SIGQUIT', detach);
  // The first Ctrl-C goes to the program, the second detaches.
  const interrupt = (): void => {
    process.once('SIGINT', detach);
    client.call('session.interrupt', { caller, sessionId: session.id }).catch(failed);
  };
  process.once('SIGINT', interrupt);
  const onData = (bytes: Buffer): void => void sink.write(bytes).catch(failed);
  const end = (): void => void sink.end().catch(failed);
  process.stdin.on('data', onData).on('end', end).resume();
  return {
    stop() {
      process.off('SIGQUIT', detach).off('SIGINT', interrupt).off('SIGINT', detach);
      process.stdin.off('data', onData).off('end', end).pause().unref();
    },
  };
}
