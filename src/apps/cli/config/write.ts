/** Writes settings into one file for the operator; what `config set`, `config unset` and `init` share. */
import { isDeepStrictEqual } from 'node:util';
import { Fault } from '../../../base/fault.ts';
import { agentName } from '../../../config/agent.ts';
import { type ConfigChange, changeConfigFile, type Edit } from '../../../config/edit/change.ts';
import { contradictionsIn } from '../../../config/contradictions.ts';
import { effectiveSettings, valueAt, withDefaults } from '../../../config/load/effective.ts';
import { combineLayers, type Layer, loadLayers } from '../../../config/load/load.ts';
import { formatSettingPath, type Step } from '../../../config/schema/setting-path.ts';
import { stateFolder } from '../../../config/state.ts';
import { resolveTarget } from '../../../config/edit/target.ts';
import { refuseInsideSession } from '../inside.ts';
import type { NamedFile } from './command.ts';
import { newFile } from './new-file.ts';

/** One setting, and what is done to it. */
export interface SettingEdit {
  readonly steps: readonly Step[];
  readonly edit: Edit;
}

export interface SettingsRequest {
  readonly folder: string;
  readonly named: NamedFile;
  readonly edits: readonly SettingEdit[];
  readonly dryRun?: boolean;
}

/** Writes the settings in one step, or shows what would become of the file. */
export async function writeSettings({ folder, named, edits, dryRun = false }: SettingsRequest): Promise<ConfigChange> {
  if (!dryRun) refuseInsideSession('changing the configuration');
  const all = named.layer === 'file' ? undefined : await heldNow(folder);
  return changeConfigFile({
    path: named.path,
    edits: edits.map(
      ({ steps, edit }) =>
        (document, value) =>
          resolveTarget({ steps, all, edit }, document, value),
    ),
    stateDir: stateFolder(),
    cwd: folder,
    agent: agentName(),
    dryRun,
    ...(edits.some(({ edit }) => edit.verb === 'set') ? { newFile: newFile(named) } : {}),
  });
}

/** What holds, for counting agents; where a file is broken only the one that is changed counts, so that it can be corrected. */
async function heldNow(folder: string): Promise<unknown> {
  try {
    return combineLayers(await loadLayers({ folder })).config;
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}

/** Warnings about the configuration after a write: settings without effect, contradictions, stronger layers. */
export async function warningsAfter({ folder, named, edits }: SettingsRequest): Promise<readonly string[]> {
  try {
    const layers = await loadLayers({ folder, includeEnvironment: true });
    const { config, warnings: said } = combineLayers(layers);
    const all = withDefaults(config);
    const own = layers.find(({ path }) => path === named.path);
    const ours = (own?.diagnostics ?? []).map(({ message }) => `${named.path}: ${message}`);
    const others = [...said, ...contradictionsIn(config).map(({ message }) => message)];
    const warnings = [...ours, ...others.filter((warning) => !ours.includes(warning))];
    for (const { steps, edit } of edits) {
      const isKnown = own === undefined || own.diagnostics.some(({ at }) => isAbout(at, steps));
      if (edit.verb === 'unset' || isKnown || isDeepStrictEqual(valueAt(all, steps), edit.value)) continue;
      const stronger = await strongerValue(layers, all, steps, named);
      if (stronger !== undefined) warnings.push(stronger);
    }
    return warnings;
  } catch (error) {
    if (error instanceof Fault) return [error.message];
    throw error;
  }
}

/** Says which other layer keeps a setting at another value. */
async function strongerValue(
  layers: readonly Layer[],
  all: unknown,
  steps: readonly Step[],
  named: NamedFile,
): Promise<string | undefined> {
  const [stronger] = await effectiveSettings(layers, all, steps);
  if (stronger === undefined || stronger.origin.file === named.path) return undefined;
  const { variable, file } = stronger.origin;
  return `${stronger.path} is still ${JSON.stringify(stronger.value)}: ${variable ?? file} says so`;
}

/** Whether a remark is about a setting, or a part of it. */
function isAbout(at: string, steps: readonly Step[]): boolean {
  const path = formatSettingPath(steps);
  return at === path || at.startsWith(`${path}.`) || at.startsWith(`${path}[`);
}
