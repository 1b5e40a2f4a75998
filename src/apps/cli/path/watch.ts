import { Fault } from '../../../base/fault.ts';
import { watchFile } from '../../../hosts/files/watch.ts';
import { isPattern } from '../../../text/address/steps.ts';
import { locateTarget, parseRequest } from '../../../tools/path/request.ts';
import { findAll, resolve } from '../../../tools/path/verbs.ts';
import { BrokenPipe } from '../../terminal/output.ts';
import { visibleLine } from '../../terminal/visible.ts';
import { renderJsonLine } from './render-json.ts';
import type { Run } from './command.ts';

/**
 * `watch PATH`: prints a JSON line whenever the value at the address changes, until interrupted. Ignores changes elsewhere
 * in the file. A missing or invalid file is also printed, with its error.
 */
export async function runWatch(run: Run): Promise<number> {
  const [typed] = run.args.positionals as [string];
  const question = parseRequest(typed, run.args.options);
  const look = isPattern(question.path) ? findAll : resolve;
  const { path } = locateTarget(run.files, question, run.args.options);
  const state = async () => {
    try {
      return content(await look(run.files, typed, run.args.options));
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      return { ocPath: typed, error: { code: error.code, message: error.message } };
    }
  };
  let last = renderJsonLine(await state());
  return new Promise<number>((done, fail) => {
    let work = Promise.resolve();
    const watch = watchFile(path, () => {
      work = work.then(async () => {
        const now = renderJsonLine(await state());
        if (now === last) return;
        last = now;
        run.output.out(now);
      });
      work.catch((error: unknown) => stop(() => (error instanceof BrokenPipe ? done(0) : fail(error))));
    });
    const stop = (end: () => void) => {
      watch.close();
      end();
    };
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop(() => done(0)));
    if (!run.output.quiet) run.output.err(`${visibleLine(`watching ${path}`)}\n`);
  });
}

/** Without offsets: text inserted above a place moves it, but does not change it. */
function content(answer: object): object {
  if (!('match' in answer)) return answer;
  const { byteRange: _bytes, end: _end, ...match } = answer.match as Record<string, unknown>;
  return { ...answer, match };
}
