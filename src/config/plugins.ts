/** Plugins: parts that can be switched off. What there is today is built in. */
import { Fault } from '../base/fault.ts';
import type { LoadedConfig } from './load/load.ts';

export interface Plugin {
  readonly id: string;
  readonly summary: string;
}

export const PLUGINS: readonly Plugin[] = [
  { id: 'oc-path', summary: 'the command and the tool path: read, find and change one spot in a file' },
];

/** Whether a plugin is on; built-in ones are unless the operator switched them off. */
export function isPluginEnabled({ config }: Pick<LoadedConfig, 'config'>, id: string): boolean {
  return config.plugins?.entries?.[id]?.enabled ?? true;
}

/** What a part answers whose plugin is off. */
export function pluginDisabled(id: string): Fault {
  return new Fault('CONFIG_PLUGIN_DISABLED', `the plugin ${id} is disabled`, {
    hint: `pincer plugins enable ${id}`,
    details: { plugin: id },
  });
}

/** Refuses when a plugin is off in a folder. Reads files only where there are any, so that it may stand in front of a fast command. */
export async function refuseDisabledPlugin(id: string, folder: string): Promise<void> {
  const { hasConfig } = await import('./places.ts');
  if (!hasConfig(folder)) return;
  const { loadConfig } = await import('./load/load.ts');
  if (!isPluginEnabled(await loadConfig({ folder }), id)) throw pluginDisabled(id);
}
