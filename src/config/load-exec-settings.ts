import type { ExecContext } from '../wire/exec.ts';
import type { ExecSettings } from '../wire/settings.ts';
import { execSettings } from './exec-settings.ts';
import { loadConfig, applyRestrictions } from './load/load.ts';
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
  return execSettings(
    restrictions === undefined ? loaded : applyRestrictions(loaded, restrictions),
    agent,
    homeFolder(),
  );
}
