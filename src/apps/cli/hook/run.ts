/** `pincer hook`: what agents ask before they run a command of their own. A hook that fails must never mean yes. */
import { agentName } from '../../../config/agent.ts';
import { reportFailure } from '../failure.ts';
import { readInput } from '../input.ts';
import type { Output } from '../output.ts';
import { asksForHelp, readWords, usage } from '../words.ts';

const SHAPE = { command: 'hook', words: ['client'], flags: ['--json'], options: ['--agent'] };
/** Claude Code takes this code for a no; any other failure lets the command through. */
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
    if (words[0] !== 'claude-code')
      throw usage(SHAPE, `there is no hook for ${JSON.stringify(words[0])}`, 'write pincer hook claude-code');
    const { answerText, readBashCall, wrong } = await import('../../hook/claude-code.ts');
    const pieces: Buffer[] = [];
    let size = 0;
    for (const piece of readInput()) {
      pieces.push(piece);
      size += piece.length;
      if (size > MOST_BYTES) throw wrong(`it is longer than ${MOST_BYTES >> 20} MiB`);
    }
    const call = readBashCall(Buffer.concat(pieces).toString());
    if (call === undefined) return 0;
    const { decideBash } = await import('../../hook/decide.ts');
    output.out(answerText(await decideBash(call, options['agent'] ?? agentName())));
    return 0;
  } catch (error) {
    reportFailure(error, false, output);
    return BLOCKS;
  }
}
