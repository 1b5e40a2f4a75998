/** Sandbox settings of an agent, and where they are set. */
import { type EffectiveSetting, effectiveSettings, withDefaults } from '../../../config/load/effective.ts';
import { combineLayers, layersForCaller } from '../../../config/load/load.ts';
import { isObject } from '../../../wire/schema.ts';

export interface SettingSource {
  readonly path: string;
  readonly value: unknown;
  readonly layer: string;
  readonly file?: string;
  readonly line?: number;
  readonly variable?: string;
}

/** The effective sandbox settings of an agent: general ones that it does not override, then its own. */
export async function settingSources(folder: string, agent: string): Promise<readonly SettingSource[]> {
  const layers = await layersForCaller(folder);
  const { config } = combineLayers(layers);
  const all = withDefaults(config);
  const own = config.agents?.list?.findIndex(({ id }) => id === agent) ?? -1;
  const hasOwn = own >= 0 && config.agents?.list?.[own]?.sandbox !== undefined;
  const owns = hasOwn ? await effectiveSettings(layers, all, ['agents', 'list', own, 'sandbox']) : [];
  const replaced = new Set(owns.map(({ path }) => path.slice(path.indexOf('.sandbox') + 1)));
  const general = (await effectiveSettings(layers, all, ['sandbox'])).filter(({ path }) => !replaced.has(path));
  return [...general, ...owns].filter(({ value }) => !isEmpty(value)).map(sourceOf);
}

function isEmpty(value: unknown): boolean {
  return isObject(value) && Object.keys(value).length === 0;
}

function sourceOf({ path, value, origin: { layer, file, line, variable } }: EffectiveSetting): SettingSource {
  return {
    path,
    value,
    layer,
    ...(file === undefined ? {} : { file }),
    ...(line === undefined ? {} : { line }),
    ...(variable === undefined ? {} : { variable }),
  };
}
