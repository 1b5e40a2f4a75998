/** Plugins: parts that can be disabled. All of them are built in today. */
import { Fault } from '../base/fault.ts';
import type { LoadedConfig } from './load/load.ts';

export interface Plugin {
  readonly id: string;
  readonly summary: string;
}

export const PLUGINS: readonly Plugin[] = [
  { id: 'oc-path', summary: 'the command and the tool path: read, find and change one place in a file' },
];

export function isPluginEnabled({ config }: Pick<LoadedConfig, 'config'>, id: string): boolean {
  return config.plugins?.entries?.[id]?.enabled ?? true;
}

export function pluginDisabled(id: string): Fault {
  return new Fault('CONFIG_PLUGIN_DISABLED', `the plugin ${id} is disabled`, {
    hint: `pincer plugins enable ${id}`,
    details: { plugin: id },
  });
}

/** Throws when a plugin is disabled in a folder. Loads the configuration only where there is any, to keep commands fast. */
export async function refuseDisabledPlugin(id: string, folder: string): Promise<void> {
  const { hasConfig } = await import('./config-files.ts');
  if (!hasConfig(folder)) return;
  const { loadConfig } = await import('./load/load.ts');
  if (!isPluginEnabled(await loadConfig({ folder }), id)) throw pluginDisabled(id);
}
