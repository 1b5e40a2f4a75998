/** `pincer doctor`: checks this machine, and shows a fix for each problem. */
import { resolve } from 'node:path';
import { homeFolder, stateFolder } from '../../../config/state.ts';
import { shapeOf } from '../definition.ts';
import { runCommand } from '../run-command.ts';
import { refuseInsideSession } from '../refuse-inside-session.ts';
import type { Output } from '../../terminal/output.ts';
import { printJson } from '../print-json.ts';
import { paint } from '../../terminal/paint.ts';
import { readArguments, usage, wantsJson } from '../arguments.ts';
import { CHECKS } from './checks.ts';
import { definition } from './definition.ts';
import { runChecks } from './run-checks.ts';
import { renderResults } from './render-results.ts';
import { ownProgram } from '../own-program.ts';

const SHAPE = shapeOf(definition);

export function runDoctor(argv: readonly string[], output: Output): Promise<number> {
  const json = wantsJson(argv, output.isTerminal);
  return runCommand(definition, argv, output, async () => {
    const { flags, options } = readArguments(SHAPE, argv);
    const program = ownProgram();
    if (program === undefined) throw usage(SHAPE, 'cannot determine the path of the pincer program');
    if (flags.has('fix')) refuseInsideSession('repairing the state folder');
    const context = {
      stateDir: stateFolder(),
      folder: resolve(options['workspace'] ?? '.'),
      home: homeFolder(),
      env: process.env,
      program,
      now: Date.now(),
      node: process.versions.node,
    };
    const checks = await runChecks(CHECKS, context, flags.has('fix'));
    const healthy = checks.every(({ status }) => status !== 'fail');
    if (json) printJson(output, { ok: healthy, checks });
    else output.out(renderResults(checks, paint(output.colour)));
    return healthy ? 0 : 1;
  });
}
