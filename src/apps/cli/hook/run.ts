/** `pincer hook`: answers clients before they call a tool. A failing hook must never mean yes. */
import { Fault } from '../../../base/fault.ts';
import type { DeciderExit } from '../../hook/deadline.ts';
import { reportFailure } from '../failure.ts';
import type { Output } from '../../terminal/output.ts';
import { asksForHelp } from '../arguments.ts';

/** All clients treat this exit code as a denial. Any other failure would let the call through. */
const BLOCKS = 2;
/** First argument of the child process that decides; its parent enforces a deadline. */
const DECIDER = '--decider';

/** Never throws. */
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

/** Ignores output of a child process that failed: it may be incomplete. */
function passOn({ code, signal, out, err }: DeciderExit, output: Output): number {
  output.err(err);
  if (code === 0) {
    output.out(out);
    return 0;
  }
  if (code !== BLOCKS)
    throw new Fault('INTERNAL_ERROR', `the deciding process exited with ${signal ?? `code ${code}`}`, {
      hint: 'the tool call is blocked; please report this with the event',
    });
  return BLOCKS;
}
