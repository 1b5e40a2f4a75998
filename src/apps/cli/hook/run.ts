/** `pincer hook`: what clients ask before they call a tool. A hook that fails must never mean yes. */
import { closeSync, openSync } from 'node:fs';
import { agentName } from '../../../config/agent.ts';
import { reportFailure } from '../failure.ts';
import { readInput } from '../input.ts';
import type { Output } from '../output.ts';
import { asksForHelp, readWords, usage } from '../words.ts';

const SHAPE = { command: 'hook', words: ['client'], flags: ['--json'], options: ['--agent'] };
/** All clients take this code, with a reason on standard error, for a no; any other failure lets the call through. */
const BLOCKS = 2;
const MOST_BYTES = 16 << 20;

/** Runs `pincer hook …`; never throws. */
export async function runHook(argv: readonly string[], output: Output): Promise<number> {
  try {
    if (asksForHelp(argv)) {
      const [{ helpOf }, { definition }] = await Promise.all([import('../definition.ts'), import('./definition.ts')]);
      output.out(helpOf(definition));
      return 0;
    }
    const { words, options } = readWords(SHAPE, argv);
    const { HOOK_CLIENTS } = await import('../../hook/clients.ts');
    const names = Object.keys(HOOK_CLIENTS);
    const [name = ''] = words;
    if (!names.includes(name))
      throw usage(SHAPE, `there is no hook for ${JSON.stringify(name)}`, `write pincer hook ${names.join(' or ')}`);
    const [{ notAnEvent }, { answerInTime }] = await Promise.all([
      import('../../hook/event.ts'),
      import('../../hook/deadline.ts'),
    ]);
    const pieces: Buffer[] = [];
    let size = 0;
    for (const piece of readInput()) {
      pieces.push(piece);
      size += piece.length;
      if (size > MOST_BYTES) throw notAnEvent(`it is longer than ${MOST_BYTES >> 20} MiB`);
    }
    const answer = await answerInTime({
      client: name,
      event: Buffer.concat(pieces).toString(),
      agent: options['agent'] ?? agentName(),
      env: process.env,
      cwd: process.cwd(),
      hasTerminal: hasTerminal(),
    });
    if (answer !== '') output.out(answer);
    return 0;
  } catch (error) {
    reportFailure(error, false, output);
    return BLOCKS;
  }
}

/** Whether a terminal controls this process, and with it the client that started it. */
function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return true;
  } catch {
    return false; // ENXIO: there is none
  }
}
