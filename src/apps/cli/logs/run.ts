/** `pincer logs`: what a session has written, and writes. */
import type { Client } from '../../client/socket.ts';
import type { FollowEvent } from '../../../wire/session.ts';
import { stateOf } from '../exec/ended.ts';
import { reportNotice } from '../failure.ts';
import { gatewayCommand, operator } from '../gateway.ts';
import { count } from '../operator.ts';
import type { Output } from '../output.ts';
import { withSessions } from '../present.ts';
import { visible } from '../visible.ts';
import { type CommandShape, readWords } from '../words.ts';

const SHAPE: CommandShape = {
  command: 'logs',
  words: ['id'],
  flags: ['--follow', '--raw', '--json', '--human'],
  options: ['--lines'],
};

const HELP = `pincer logs: what a session has written

  pincer logs <id>            all of it
  pincer logs -n <n> <id>     its last n lines
  pincer logs -f <id>         goes on until the session ends; Ctrl-C leaves, and the session goes on

  --raw    on a terminal, too, byte for byte: colours, and all else that a program may tell a terminal

  The start of an id is enough where it names one session.

  exit 0, 1 there is no such session, 2 wrong arguments, 3 the daemon cannot be reached
`;

export function runLogs(argv: readonly string[], output: Output): Promise<number> {
  return gatewayCommand(argv, output, { help: HELP, json: argv.includes('--json') }, async () => {
    const { words, flags, options } = readWords(SHAPE, argv.map(longForm));
    const lines = options['lines'] === undefined ? undefined : count(SHAPE, '-n', options['lines']);
    const show = shower(output, flags.has('raw'));
    return withSessions(words, (client) =>
      logs(client, words[0]!, { lines, follow: flags.has('follow'), show, output }),
    );
  });
}

/** Short flags are other names of long ones. */
function longForm(arg: string): string {
  return arg === '-f' ? '--follow' : arg === '-n' ? '--lines' : arg;
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
