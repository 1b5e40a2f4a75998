/** `pincer logs`: what a session has written, and writes. */
import { helpOf, shapeOf } from '../definition.ts';
import type { Client } from '../../client/socket.ts';
import type { FollowEvent } from '../../../wire/session.ts';
import { sessionState } from '../exec/session-end.ts';
import { reportNotice } from '../failure.ts';
import { gatewayCommand, operatorCaller } from '../gateway.ts';
import { positiveInteger } from '../toolbox-options.ts';
import { type Output, quietly } from '../../terminal/output.ts';
import { withSessions } from '../if-running.ts';
import { type ForeignOutput, foreignOutput } from '../../terminal/filter/foreign-output.ts';
import { readArguments } from '../arguments.ts';
import { definition } from './definition.ts';

const SHAPE = shapeOf(definition);

export function runLogs(argv: readonly string[], output: Output): Promise<number> {
  return gatewayCommand(
    argv,
    output,
    { help: () => helpOf(definition), errorJson: argv.includes('--json') },
    async () => {
      const { positionals, flags, options } = readArguments(SHAPE, argv);
      const lines = options['lines'] === undefined ? undefined : positiveInteger(SHAPE, '-n', options['lines']);
      const told = quietly(output, flags.has('quiet'));
      const foreign = foreignOutput(output, flags.has('raw'));
      return withSessions(positionals, (client) =>
        logs(client, positionals[0]!, { lines, follow: flags.has('follow'), foreign, output: told }),
      );
    },
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
  let { bytes: end, id, status } = await client.call('session.wait', { caller, sessionId, waitMs: 0 });
  if (lines !== undefined) {
    const page = await client.call('session.log', { caller, sessionId: id, limit: lines });
    foreign.out(new TextEncoder().encode(page.text));
    after = page.totalBytes;
    end = after;
  }
  if (!follow && after >= end) {
    foreign.end();
    return 0;
  }
  const done = new AbortController();
  const hear = (event: FollowEvent): void => {
    if (done.signal.aborted || event.type === 'end') return;
    if (event.type === 'gap') reportNotice(`${event.bytes} bytes were not kept`, false, output);
    else foreign.out(event.bytes);
    const at = event.start + (event.type === 'gap' ? event.bytes : event.bytes.length);
    if (!follow && at >= end) done.abort();
  };
  const session = await client.follow({ caller, sessionId: id, after }, hear, done.signal);
  foreign.end();
  if (follow && status === 'running') reportNotice(`${id}: ${sessionState(session)}`, false, output);
  return 0;
}
