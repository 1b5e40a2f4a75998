/** `pincer config undo`: reverts changes that pincer made to configuration files. */
import { agentName } from '../../../config/agent.ts';
import { layerFiles } from '../../../config/config-files.ts';
import { stateFolder } from '../../../config/state.ts';
import { undoSettings } from '../../../config/edit/undo.ts';
import { printReversal } from '../changes/print-changes.ts';
import { refuseInsideSession } from '../refuse-inside-session.ts';
import { positiveInteger } from '../toolbox-options.ts';
import { printPosture, watchPosture } from './watch-posture.ts';
import { type ConfigRun, namedFile } from './config-run.ts';

/** Without a flag for one file, reverts the newest change in any file that applies to this folder. */
export async function runUndo(run: ConfigRun): Promise<number> {
  const { args, folder, json, output, shape } = run;
  const dryRun = args.flags.has('dry-run');
  if (!dryRun) refuseInsideSession('changing the configuration');
  const named = namedFile(run);
  const undo = () =>
    undoSettings({
      paths: named === undefined ? layerFiles(folder).map(({ path }) => path) : [named.path],
      steps: args.options['steps'] === undefined ? 1 : positiveInteger(shape, '--steps', args.options['steps']),
      stateDir: stateFolder(),
      cwd: folder,
      agent: agentName(),
      dryRun,
    });
  const { value: outcome, posture } = await watchPosture({ folder, dryRun }, undo);
  const code = printReversal('undo', outcome, { json, dryRun, diff: true, output, beside: { posture } });
  printPosture(run, posture);
  return code;
}
