/** `pincer doctor`: what works on this machine, and the fix for each gap. */
import { resolve } from 'node:path';
import { homeFolder, stateFolder } from '../../../config/state.ts';
import { shapeOf } from '../definition.ts';
import { runCommand } from '../run-command.ts';
import { refuseInsideSession } from '../refuse-inside-session.ts';
import { jsonOutput, type Output } from '../../terminal/output.ts';
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
    if (program === undefined) throw usage(SHAPE, 'the doctor is started from a file');
    if (flags.has('fix')) refuseInsideSession('repairing the state folder');
    const patient = {
      stateDir: stateFolder(),
      folder: resolve(options['workspace'] ?? '.'),
      home: homeFolder(),
      env: process.env,
      program,
      now: Date.now(),
      node: process.versions.node,
    };
    const checks = await runChecks(CHECKS, patient, flags.has('fix'));
    const healthy = checks.every(({ status }) => status !== 'fail');
    if (json) jsonOutput(output).out(`${JSON.stringify({ ok: healthy, checks }, null, 2)}\n`);
    else output.out(renderResults(checks, paint(output.colour)));
    return healthy ? 0 : 1;
  });
}
