/** `pincer hook`: what clients ask before they call a tool. A hook that fails must never mean yes. */
import { Fault } from '../../../base/fault.ts';
import type { DeciderExit } from '../../hook/deadline.ts';
import { reportFailure } from '../failure.ts';
import type { Output } from '../../terminal/output.ts';
import { asksForHelp } from '../arguments.ts';

/** All clients take this code, with a reason on standard error, for a no; any other failure lets the call through. */
const BLOCKS = 2;
/** The first argument of the process that decides; the client calls the one that has a deadline. */
const DECIDER = '--decider';

/** Runs `pincer hook …`; never throws. */
export async function runHook(argv: readonly string[], output: Output): Promise<number> {
  try {
    if (argv[0] === DECIDER) {
      const { answerOnInput } = await import('./decide.ts');
      output.out(await answerOnInput(argv.slice(1)));
      return 0;
    }
    if (asksForHelp(argv)) {
      const [{ helpOf }, { definition }] = await Promise.all([import('../definition.ts'), import('./definition.ts')]);
      output.out(helpOf(definition));
      return 0;
    }
    const { decideInTime } = await import('../../hook/deadline.ts');
    return passOn(await decideInTime([...process.execArgv, process.argv[1]!, 'hook', DECIDER, ...argv]), output);
  } catch (error) {
    reportFailure(error, false, output);
    return BLOCKS;
  }
}

/** Only a decider that came to its end has an answer: another one may have printed a part of it. */
function passOn({ code, signal, out, err }: DeciderExit, output: Output): number {
  output.err(err);
  if (code === 0) {
    output.out(out);
    return 0;
  }
  if (code !== BLOCKS)
    throw new Fault('INTERNAL_ERROR', `the process that decides ended with ${signal ?? `code ${code}`}`, {
      hint: 'the tool call is blocked; please report this with the event',
    });
  return BLOCKS;
}
