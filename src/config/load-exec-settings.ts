import type { ExecContext } from '../wire/exec.ts';
import type { ExecSettings } from '../wire/settings.ts';
import { execSettings } from './exec-settings.ts';
import { applyRestrictions, type LoadedConfig, loadConfig } from './load/load.ts';
import { homeFolder } from './state.ts';

export interface LoadExecSettings {
  readonly folder: string;
  readonly agent: string;
  /** Settings from the environment of the caller, which may only tighten. */
  readonly restrictions?: ExecContext['restrictions'];
  /** Whether the environment of this process counts (default: false): only in a daemon that the operator started by hand. */
  readonly includeEnvironment?: boolean;
}

/** Reads the files again; the daemon does so for every request. */
export async function loadExecSettings({
  folder,
  agent,
  restrictions,
  includeEnvironment = false,
}: LoadExecSettings): Promise<ExecSettings> {
  const loaded = await loadConfig({ folder, includeEnvironment });
  const home = homeFolder();
  const known = settingsOf.get(loaded) ?? new Map<string, ExecSettings>();
  const key = JSON.stringify([agent, home, restrictions]);
  const settings =
    known.get(key) ??
    execSettings(restrictions === undefined ? loaded : applyRestrictions(loaded, restrictions), agent, home);
  if (known.size >= MOST_SETTINGS) known.clear();
  settingsOf.set(loaded, known.set(key, settings));
  return settings;
}

/** The settings that were asked for since the files changed. Agents have any names. */
const settingsOf = new WeakMap<LoadedConfig, Map<string, ExecSettings>>();
const MOST_SETTINGS = 100;
