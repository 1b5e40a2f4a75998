/** Judges the hook event on standard input. Runs in a child process, which `hook/run.ts` gives a deadline. */
import { closeSync, openSync } from 'node:fs';
import { agentName } from '../../../config/agent.ts';
import { HOOK_CLIENTS } from '../../hook/clients.ts';
import { decideCall } from '../../hook/decide.ts';
import { notAnEvent, readEvent } from '../../hook/event.ts';
import { readInput } from '../input.ts';
import { readArguments, usage } from '../arguments.ts';

const SHAPE = { command: 'hook', positionals: ['client'], flags: ['--json'], options: ['--agent'] };
const MOST_BYTES = 16 << 20;

/** Returns the answer for the client; empty if no rule concerns the call. */
export async function answerOnInput(argv: readonly string[]): Promise<string> {
  const { positionals, options } = readArguments(SHAPE, argv);
  const names = Object.keys(HOOK_CLIENTS);
  const [name = ''] = positionals;
  if (!names.includes(name))
    throw usage(SHAPE, `unknown client ${JSON.stringify(name)}`, `clients with hooks: ${names.join(', ')}`);
  const client = await HOOK_CLIENTS[name]!();
  const { env } = process;
  const question = client.question(readEvent(inputBytes()), { env, cwd: process.cwd(), hasTerminal });
  const answer = question === undefined ? undefined : await decideCall(question, options['agent'] ?? agentName(), env);
  return answer === undefined ? '' : client.answerText(answer);
}

function inputBytes(): Buffer {
  const pieces: Buffer[] = [];
  let size = 0;
  for (const piece of readInput()) {
    pieces.push(piece);
    size += piece.length;
    if (size > MOST_BYTES) throw notAnEvent(`it is longer than ${MOST_BYTES >> 20} MiB`);
  }
  return Buffer.concat(pieces);
}

/** Whether this process, and so the client that started it, has a controlling terminal. */
function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return true;
  } catch {
    return false; // ENXIO: none
  }
}
