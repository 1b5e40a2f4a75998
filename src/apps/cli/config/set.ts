/** `pincer config set` and `unset`: one setting in one file, byte for byte around it. */
import { isDeepStrictEqual } from 'node:util';
import { Fault } from '../../../base/fault.ts';
import { agentName } from '../../../config/agent.ts';
import { type Changed, changeConfigFile, type Edit } from '../../../config/change.ts';
import { heldBelow, valueAt, withDefaults } from '../../../config/effective.ts';
import { contradictionsIn } from '../../../config/contradictions.ts';
import { combined, loadLayers } from '../../../config/load.ts';
import { ocAddress } from '../../../config/oc-address.ts';
import { END, formatSettingPath, readSettingPath, type Step } from '../../../config/setting-path.ts';
import { canonicalSteps, findSetting } from '../../../config/settings.ts';
import { stateFolder } from '../../../config/state.ts';
import { targetIn } from '../../../config/target.ts';
import { readValue } from '../../../config/values.ts';
import { encodeText } from '../../../text/lines/bytes.ts';
import { refuseInsideSession } from '../inside.ts';
import { showContent } from '../output.ts';
import { paintDiff } from '../paint.ts';
import { visible, visibleLine } from '../visible.ts';
import { usage } from '../words.ts';
import { type ConfigRun, fileOfLayer, type NamedFile, namedFile } from './command.ts';
import { newFile } from './new-file.ts';

export async function runSet(run: ConfigRun): Promise<number> {
  const { flags, words } = run.args;
  const { steps, check } = findSetting(readSettingPath(words[0]!));
  const reading = flags.has('text') ? 'text' : flags.has('json') ? 'json' : 'either';
  const value = await readValue(check, formatSettingPath(steps), words[1]!, reading);
  return change(run, steps, { verb: 'set', value });
}

export async function runUnset(run: ConfigRun): Promise<number> {
  return change(run, canonicalSteps(readSettingPath(run.args.words[0]!)), { verb: 'unset' });
}

async function change(run: ConfigRun, steps: readonly Step[], edit: Edit): Promise<number> {
  const { args, folder } = run;
  const dryRun = args.flags.has('dry-run');
  if (args.flags.has('diff') && !dryRun)
    throw usage(
      run.shape,
      '--diff requires --dry-run',
      'add --dry-run to see the change, or leave out --diff to write it',
    );
  if (!dryRun) refuseInsideSession('changing the configuration');
  const named = namedFile(run) ?? fileOfLayer(folder, 'user');
  const all = named.layer === 'file' ? undefined : await heldNow(folder);
  const outcome = await changeConfigFile({
    path: named.path,
    steps: (document, value) => targetIn({ steps, all, edit }, document, value),
    stateDir: stateFolder(),
    cwd: folder,
    agent: agentName(),
    dryRun,
    ...(edit.verb === 'set' ? { newFile: newFile(named) } : {}),
  });
  if (!outcome.found) return nothingToUnset(run, steps, outcome);
  const warnings = dryRun ? [] : await afterwards(folder, steps, edit, named);
  const shown = steps.includes(END) ? outcome.at : steps;
  show(run, { steps: shown, edit, outcome, dryRun, warnings, ocPath: ocAddress(outcome.path, outcome.at) });
  return 0;
}

/** What holds, for counting agents; where a file is broken only the one that is changed counts, so that it can be mended. */
async function heldNow(folder: string): Promise<unknown> {
  try {
    return combined(await loadLayers({ folder })).config;
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}

/** Whether what was written has the effect that it was written for. */
async function afterwards(
  folder: string,
  steps: readonly Step[],
  edit: Edit,
  named: NamedFile,
): Promise<readonly string[]> {
  try {
    const layers = await loadLayers({ folder, heedEnvironment: true });
    const { config, warnings: said } = combined(layers);
    const warnings = [...said, ...contradictionsIn(config).map(({ message }) => `the configuration ${message}`)];
    const own = layers.find(({ path }) => path === named.path);
    const all = withDefaults(config);
    const ours = (own?.told ?? []).map(({ message }) => `${named.path} ${message}`);
    const others = warnings.filter((warning) => !ours.includes(warning));
    if (
      edit.verb === 'unset' ||
      own === undefined ||
      (own?.told ?? []).some(({ at }) => isAbout(at, steps)) ||
      isDeepStrictEqual(valueAt(all, steps), edit.value)
    )
      return [...ours, ...others];
    const [stronger] = await heldBelow(layers, all, steps);
    if (stronger === undefined || stronger.origin.file === named.path) return [...ours, ...others];
    const { variable, file } = stronger.origin;
    return [
      ...ours,
      ...others,
      `${stronger.path} is still ${JSON.stringify(stronger.value)}: ${variable ?? file} says so`,
    ];
  } catch (error) {
    if (error instanceof Fault) return [error.message];
    throw error;
  }
}

/** Whether a remark is about a setting, or a part of it. */
function isAbout(at: string, steps: readonly Step[]): boolean {
  const path = formatSettingPath(steps);
  return at === path || at.startsWith(`${path}.`) || at.startsWith(`${path}[`);
}

/** A name that nobody knows is a wrong question, unless the file says it. */
function nothingToUnset(run: ConfigRun, steps: readonly Step[], { path }: Changed): number {
  findSetting(steps);
  run.notice(`${formatSettingPath(steps)} is not set in ${path}`);
  return 1;
}

interface Answer {
  readonly steps: readonly Step[];
  readonly edit: Edit;
  readonly outcome: Changed;
  readonly dryRun: boolean;
  readonly warnings: readonly string[];
  readonly ocPath: string;
}

function show(run: ConfigRun, { steps, edit, outcome, dryRun, warnings, ocPath }: Answer): void {
  const { json, output, args, style } = run;
  const path = formatSettingPath(steps);
  const { path: file, changed, created, after, diff } = outcome;
  const said = edit.verb === 'set' ? { value: edit.value } : {};
  const preview = dryRun ? { dryRun, ...(args.flags.has('diff') ? { diff } : { bytes: after }) } : {};
  if (json) {
    output.out(
      `${JSON.stringify({ ok: true, path, ...said, file, ocPath, changed, created, ...preview, warnings }, null, 2)}\n`,
    );
    return;
  }
  for (const warning of warnings) run.notice(warning);
  if (!dryRun) output.out(`${visibleLine(sentence(path, edit, outcome))}\n`);
  else if (!changed) output.out(`${visibleLine(`--dry-run: no byte changes for ${file}`)}\n`);
  else if (args.flags.has('diff')) output.out(paintDiff(visible(diff), style));
  else {
    const bytes = encodeText(after);
    output.out(`${visibleLine(`--dry-run: would write ${bytes.length} bytes to ${file}`)}\n`);
    showContent(bytes, output);
  }
}

function sentence(path: string, edit: Edit, { path: file, changed, created }: Changed): string {
  if (edit.verb === 'unset') return `took ${path} out of ${file}`;
  const value = `${path} = ${JSON.stringify(edit.value)}`;
  if (!changed) return `${value} stands in ${file} already`;
  return `wrote ${value} to ${file}${created ? ', which is new' : ''}`;
}
