/** `pincer logs`: what a session has written, and writes. */
import { helpOf, shapeOf } from '../definition.ts';
import type { Client } from '../../client/socket.ts';
import type { FollowEvent } from '../../../wire/session.ts';
import { stateOf } from '../exec/ended.ts';
import { reportNotice } from '../failure.ts';
import { gatewayCommand, operator } from '../gateway.ts';
import { count } from '../operator.ts';
import type { Output } from '../output.ts';
import { withSessions } from '../present.ts';
import { visible } from '../visible.ts';
import { readWords } from '../words.ts';
import { definition } from './definition.ts';

const SHAPE = shapeOf(definition);

export function runLogs(argv: readonly string[], output: Output): Promise<number> {
  return gatewayCommand(argv, output, { help: () => helpOf(definition), json: argv.includes('--json') }, async () => {
    const { words, flags, options } = readWords(SHAPE, argv);
    const lines = options['lines'] === undefined ? undefined : count(SHAPE, '-n', options['lines']);
    const show = shower(output, flags.has('raw'));
    return withSessions(words, (client) =>
      logs(client, words[0]!, { lines, follow: flags.has('follow'), show, output }),
    );
  });
}

interface Showing {
  readonly lines: number | undefined;
  readonly follow: boolean;
  readonly show: Shower;
  readonly output: Output;
}

async function logs(client: Client, sessionId: string, { lines, follow, show, output }: Showing): Promise<number> {
  const caller = operator();
  let after = 0;
  let { bytes: end, id, status } = await client.call('session.wait', { caller, sessionId, waitMs: 0 });
  if (lines !== undefined) {
    const page = await client.call('session.log', { caller, sessionId: id, limit: lines });
    show(new TextEncoder().encode(page.text));
    after = page.totalBytes;
    end = after;
  }
  if (!follow && after >= end) return 0;
  const done = new AbortController();
  const hear = (event: FollowEvent): void => {
    if (done.signal.aborted || event.type === 'end') return;
    if (event.type === 'gap') reportNotice(`${event.bytes} bytes were not kept`, false, output);
    else show(event.bytes);
    const at = event.start + (event.type === 'gap' ? event.bytes : event.bytes.length);
    if (!follow && at >= end) done.abort();
  };
  const session = await client.follow({ caller, sessionId: id, after }, hear, done.signal);
  if (follow && status === 'running') reportNotice(`${id}: ${stateOf(session)}`, false, output);
  return 0;
}

type Shower = (bytes: Uint8Array) => void;

/** On a terminal only what cannot harm it, unless told; a character that is cut in two waits for its other half. */
function shower(output: Output, raw: boolean): Shower {
  if (raw || !output.isTerminal) return (bytes) => output.out(bytes);
  const decoder = new TextDecoder();
  return (bytes) => output.out(visible(decoder.decode(bytes, { stream: true })));
}
