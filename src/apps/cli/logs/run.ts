/** `pincer logs`: prints and follows the output of a session. */
import { shapeOf } from '../definition.ts';
import type { Client } from '../../client/socket.ts';
import type { FollowEvent } from '../../../wire/session.ts';
import { failureText, sessionState } from '../exec/session-end.ts';
import { reportNotice } from '../failure.ts';
import { operatorCaller } from '../gateway.ts';
import { runCommand } from '../run-command.ts';
import { positiveInteger } from '../toolbox-options.ts';
import { type Output, quietly } from '../../terminal/output.ts';
import { withSessions } from '../if-running.ts';
import { type ForeignOutput, foreignOutput } from '../../terminal/filter/foreign-output.ts';
import { readArguments, usage } from '../arguments.ts';
import { definition } from './definition.ts';

const SHAPE = shapeOf(definition);

export function runLogs(argv: readonly string[], output: Output): Promise<number> {
  return runCommand(
    definition,
    argv,
    output,
    async () => {
      const { positionals, flags, options } = readArguments(SHAPE, argv);
      const lines = options['lines'] === undefined ? undefined : positiveInteger(SHAPE, '-n', options['lines']);
      const quiet = quietly(output, flags.has('quiet'));
      const foreign = foreignOutput(output, flags.has('raw'));
      if (flags.has('recording')) {
        if (lines !== undefined || flags.has('follow'))
          throw usage(SHAPE, '--recording prints a whole recording: omit -n and -f');
        return withSessions(positionals, (client) => printRecording(client, positionals[0]!, foreign));
      }
      return withSessions(positionals, (client) =>
        logs(client, positionals[0]!, { lines, follow: flags.has('follow'), foreign, output: quiet }),
      );
    },
    { errorJson: argv.includes('--json') },
  );
}

interface LogOptions {
  readonly lines: number | undefined;
  readonly follow: boolean;
  readonly foreign: ForeignOutput;
  readonly output: Output;
}

async function logs(
  client: Client,
  sessionId: string,
  { lines, follow, foreign, output }: LogOptions,
): Promise<number> {
  const caller = operatorCaller();
  let after = 0;
  const info = await client.call('session.wait', { caller, sessionId, waitMs: 0 });
  const { id, status } = info;
  let end = info.bytes;
  // The rest of its output is elsewhere, or nowhere.
  const tellLost = (): void => {
    if (info.failure === 'lost') reportNotice(failureText(info) ?? '', false, output);
  };
  if (lines !== undefined) {
    const page = await client.call('session.log', { caller, sessionId: id, limit: lines });
    foreign.out(new TextEncoder().encode(page.text));
    after = page.totalBytes;
    end = after;
  }
  if (!follow && after >= end) {
    foreign.end();
    tellLost();
    return 0;
  }
  const done = new AbortController();
  const onEvent = (event: FollowEvent): void => {
    if (done.signal.aborted || event.type === 'end') return;
    if (event.type === 'gap') reportNotice(`${event.bytes} bytes of output were discarded`, false, output);
    else foreign.out(event.bytes);
    const at = event.start + (event.type === 'gap' ? event.bytes : event.bytes.length);
    if (!follow && at >= end) done.abort();
  };
  const session = await client.follow({ caller, sessionId: id, after }, onEvent, done.signal);
  foreign.end();
  tellLost();
  if (follow && status === 'running') reportNotice(`${id}: ${sessionState(session)}`, false, output);
  return 0;
}

/** What is recorded so far, of a running session too. */
async function printRecording(client: Client, sessionId: string, foreign: ForeignOutput): Promise<number> {
  const caller = operatorCaller();
  for (let from = 0, isDone = false; !isDone; ) {
    const { text, next, done } = await client.call('session.recording', { caller, sessionId, from });
    foreign.out(new TextEncoder().encode(text));
    isDone = done || next <= from;
    from = next;
  }
  foreign.end();
  return 0;
}
