/** Writes settings to one file, for `config set`, `config unset` and `init`. */
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
import { refuseInsideSession } from '../refuse-inside-session.ts';
import type { NamedFile } from './config-run.ts';
import { newFile } from './new-file.ts';

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

/** Writes all settings at once, or with `dryRun` only returns the result. */
export async function writeSettings({ folder, named, edits, dryRun = false }: SettingsRequest): Promise<ConfigChange> {
  if (!dryRun) refuseInsideSession('changing the configuration');
  const all = named.layer === 'file' ? undefined : await effectiveConfig(folder);
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

/** For finding agents by name. Undefined if a file is invalid, so that this command can still correct it. */
async function effectiveConfig(folder: string): Promise<unknown> {
  try {
    return combineLayers(await loadLayers({ folder })).config;
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}

/** Warnings after a write: settings without effect, contradictions, stronger layers. */
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
      const isKnown = own === undefined || own.diagnostics.some(({ at }) => concerns(at, steps));
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

/** Names the layer that keeps the setting at another value. */
async function strongerValue(
  layers: readonly Layer[],
  all: unknown,
  steps: readonly Step[],
  named: NamedFile,
): Promise<string | undefined> {
  const [stronger] = await effectiveSettings(layers, all, steps);
  if (stronger === undefined || stronger.origin.file === named.path) return undefined;
  const { variable, file } = stronger.origin;
  return `${stronger.path} is still ${JSON.stringify(stronger.value)}, set by ${variable ?? file}`;
}

/** Whether a diagnostic is about the setting or a part of it. */
function concerns(at: string, steps: readonly Step[]): boolean {
  const path = formatSettingPath(steps);
  return at === path || at.startsWith(`${path}.`) || at.startsWith(`${path}[`);
}
