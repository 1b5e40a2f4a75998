/** Writes settings to one file, for `pincer config`, `pincer init` and the control page. */
import { isDeepStrictEqual } from 'node:util';
import { Fault } from '../../base/fault.ts';
import { agentName } from '../agent.ts';
import { type ConfigChange, changeConfigFile, type Edit } from './change.ts';
import { contradictionsIn } from '../contradictions.ts';
import { effectiveSettings, valueAt, withDefaults } from '../load/effective.ts';
import { combineLayers, type Layer, loadLayers } from '../load/load.ts';
import { formatSettingPath, parseSettingPath, type Step } from '../schema/setting-path.ts';
import { withoutSecrets } from '../secrets/without-secrets.ts';
import { isNode, stateFolder } from '../state.ts';
import { resolveTarget } from './target.ts';
import type { NamedFile } from '../config-files.ts';
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
  /** The program, for the `$schema` of a new file. */
  readonly program?: string | undefined;
  /** Refused if the file has another revision. */
  readonly revision?: string;
}

/** Writes all settings at once, or with `dryRun` only returns the result. */
export async function writeSettings(request: SettingsRequest): Promise<ConfigChange> {
  const { folder, named, edits, dryRun = false, program, revision } = request;
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
    ...(revision === undefined ? {} : { revision }),
    ...(edits.some(({ edit }) => edit.verb === 'set') ? { newFile: newFile(named, program) } : {}),
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
    const others = [...said, ...contradictionsIn(config, isNode()).map(({ message }) => message)];
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
  const value = withoutSecrets(stronger.value, parseSettingPath(stronger.path).map(String));
  return `${stronger.path} is still ${JSON.stringify(value)}, set by ${variable ?? file}`;
}

/** Whether a diagnostic is about the setting or a part of it. */
function concerns(at: string, steps: readonly Step[]): boolean {
  const path = formatSettingPath(steps);
  return at === path || at.startsWith(`${path}.`) || at.startsWith(`${path}[`);
}
