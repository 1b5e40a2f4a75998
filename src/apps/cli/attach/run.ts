/** `pincer attach`: a session as if one sat in front of it. */
import { helpOf, shapeOf } from '../definition.ts';
import type { Caller } from '../../../wire/exec.ts';
import type { FollowEvent, SessionInfo } from '../../../wire/session.ts';
import type { Client } from '../../client/socket.ts';
import { exitCodeOfSession, sessionState } from '../exec/session-end.ts';
import { forwardInput, inputKind, sessionSink } from '../exec/stdin.ts';
import { takeTerminal, terminalSize } from '../exec/terminal.ts';
import { reportNotice } from '../failure.ts';
import { gatewayCommand, operatorCaller } from '../gateway.ts';
import { type Output, quietly } from '../../terminal/output.ts';
import { withSessions } from '../if-running.ts';
import { foreignOutput } from '../../terminal/filter/foreign-output.ts';
import { readArguments } from '../arguments.ts';
import { definition } from './definition.ts';
import { enterScreen, leaveScreen } from './screen.ts';

const SHAPE = shapeOf(definition);

export function runAttach(argv: readonly string[], output: Output): Promise<number> {
  return gatewayCommand(
    argv,
    output,
    { help: () => helpOf(definition), errorJson: argv.includes('--json') },
    async () => {
      const { positionals, flags } = readArguments(SHAPE, argv);
      return withSessions(positionals, async (client) => {
        const caller = operatorCaller();
        const session = await client.call('session.wait', { caller, sessionId: positionals[0]!, waitMs: 0 });
        const raw = flags.has('raw');
        return attach({ client, caller, session, raw, output: quietly(output, flags.has('quiet')) });
      });
    },
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
    reportNotice(`attached to ${sessionId}; Ctrl-\\ leaves it running`, false, output);
  const painted = onTerminal && session.pty !== undefined && session.status === 'running';
  const after = painted ? await enterScreen(attached) : 0;
  const input = session.status === 'running' ? takeInput(attached, left, onTerminal) : undefined;
  // A running session with a terminal of its own draws on this one as it likes: its keys are given to it, too.
  const foreign = foreignOutput(output, raw || painted);
  let ended: SessionInfo;
  try {
    const hear = (event: FollowEvent): void => {
      if (event.type === 'output') foreign.out(event.bytes);
    };
    ended = await client.follow({ caller, sessionId, after }, hear, left.signal);
  } finally {
    input?.stop();
    foreign.end();
    if (painted) leaveScreen(output);
  }
  if (left.signal.aborted) {
    reportNotice(`left ${sessionId}; pincer attach ${sessionId} comes back to it`, false, output);
    return 0;
  }
  if (onTerminal) reportNotice(`${sessionId}: ${sessionState(ended)}`, false, output);
  return exitCodeOfSession(ended);
}

/** Keys one by one for a session with a terminal; lines for one without. */
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
  // The terminal edits the line; its quit key is the one that leaves.
  process.on('SIGQUIT', detach);
  // The first Ctrl-C is for the program; whoever presses it again wants to leave.
  const interrupt = (): void => {
    process.once('SIGINT', detach);
    client.call('session.interrupt', { caller, sessionId: session.id }).catch(failed);
  };
  process.once('SIGINT', interrupt);
  const hear = (bytes: Buffer): void => void sink.write(bytes).catch(failed);
  const end = (): void => void sink.end().catch(failed);
  process.stdin.on('data', hear).on('end', end).resume();
  return {
    stop() {
      process.off('SIGQUIT', detach).off('SIGINT', interrupt).off('SIGINT', detach);
      process.stdin.off('data', hear).off('end', end).pause().unref();
    },
  };
}
