/** Writes settings, for `config set`, `config unset` and `init`. */
import type { ConfigChange } from '../../../config/edit/change.ts';
import { type SettingsRequest, writeSettings as write } from '../../../config/edit/write-settings.ts';
import { ownProgram } from '../own-program.ts';
import { refuseInsideSession } from '../refuse-inside-session.ts';

/** Writes all settings at once, or with `dryRun` only returns the result. */
export async function writeSettings(request: SettingsRequest): Promise<ConfigChange> {
  if (request.dryRun !== true) refuseInsideSession('changing the configuration');
  return write({ ...request, program: ownProgram() });
}
