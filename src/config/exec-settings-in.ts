/** The settings for running commands in a folder, as the daemon reads them for every request. */
import type { ExecContext } from '../wire/exec.ts';
import type { ExecSettings } from '../wire/settings.ts';
import { execSettings } from './exec.ts';
import { loadConfig, tightenedBy } from './load/load.ts';
import { homeFolder } from './state.ts';

export interface SettingsQuestion {
  readonly folder: string;
  readonly agent: string;
  /** What the environment of the caller says: it may only tighten. */
  readonly restrictions?: ExecContext['restrictions'];
  /** Whether the environment of this process counts: the operator's daemon, started by hand. Default: false. */
  readonly heedEnvironment?: boolean;
}

/** Reads the files of configuration anew. */
export async function execSettingsIn({
  folder,
  agent,
  restrictions,
  heedEnvironment = false,
}: SettingsQuestion): Promise<ExecSettings> {
  const loaded = await loadConfig({ folder, heedEnvironment });
  return execSettings(restrictions === undefined ? loaded : tightenedBy(loaded, restrictions), agent, homeFolder());
}
