/** `pincer config undo`: takes back what `config set`, `config unset` and others wrote to files of settings. */
import { agentName } from '../../../config/agent.ts';
import { layerFiles } from '../../../config/config-files.ts';
import { stateFolder } from '../../../config/state.ts';
import { undoSettings } from '../../../config/edit/undo.ts';
import { showReversal } from '../changes/show.ts';
import { refuseInsideSession } from '../inside.ts';
import { count } from '../operator.ts';
import { showPosture, watchPosture } from './changed-posture.ts';
import { type ConfigRun, namedFile } from './command.ts';

/** Without a flag for one file, the newest change in any file that holds in this folder. */
export async function runUndo(run: ConfigRun): Promise<number> {
  const { args, folder, json, output, shape } = run;
  const dryRun = args.flags.has('dry-run');
  if (!dryRun) refuseInsideSession('changing the configuration');
  const named = namedFile(run);
  const undo = () =>
    undoSettings({
      paths: named === undefined ? layerFiles(folder).map(({ path }) => path) : [named.path],
      steps: args.options['steps'] === undefined ? 1 : count(shape, '--steps', args.options['steps']),
      stateDir: stateFolder(),
      cwd: folder,
      agent: agentName(),
      dryRun,
    });
  const { value: outcome, posture } = await watchPosture({ folder, dryRun }, undo);
  const code = showReversal('undo', outcome, { json, dryRun, diff: true, output, beside: { posture } });
  showPosture(run, posture);
  return code;
}
