/** Settings on the page: read with their sources, and written as `pincer config set` does, on the revision that was read. */
import { Fault } from '../../../../base/fault.ts';
import { type ConfigSource, layerFiles } from '../../../../config/config-files.ts';
import { type Edit, revisionOf } from '../../../../config/edit/change.ts';
import { type SettingsRequest, warningsAfter, writeSettings } from '../../../../config/edit/write-settings.ts';
import { effectiveSettings, valueAt, withDefaults } from '../../../../config/load/effective.ts';
import { combineLayers, loadLayers } from '../../../../config/load/load.ts';
import { ocAddress } from '../../../../config/load/oc-address.ts';
import { readText } from '../../../../config/load/read.ts';
import { parseSettingValue } from '../../../../config/load/setting-value.ts';
import { END, formatSettingPath, parseSettingPath, type Step } from '../../../../config/schema/setting-path.ts';
import { findSetting } from '../../../../config/schema/settings.ts';
import { maskedDiff } from '../../../../config/edit/masked-diff.ts';
import { withoutSecrets } from '../../../../config/secrets/without-secrets.ts';
import { MASK } from '../../../../text/secrets/spans.ts';
import { PAGE_METHODS } from '../../../../wire/methods/page-methods.ts';
import type { Infer } from '../../../../wire/schema.ts';
import { bindingWarnings } from '../../../node-bindings.ts';
import type { PageCall, PageMethod } from './page-method.ts';

const { params: getParams } = PAGE_METHODS['config.get'];
const { params: setParams } = PAGE_METHODS['config.set'];
type SetParams = Infer<typeof setParams>;

export function configMethods(program: string): Readonly<Record<string, PageMethod>> {
  return {
    'config.get': {
      role: 'viewer',
      params: getParams,
      run: (params, call) => get(params as Infer<typeof getParams>, call),
    },
    'config.set': {
      role: 'operator',
      params: setParams,
      recorded: (params) => recordOf(params as SetParams),
      run: (params, call) => set(params as SetParams, call, program),
    },
  };
}

/** Secrets are masked for every role: `sources` has the file and the line of each value. */
async function get({ path }: Infer<typeof getParams>, { workspace: folder }: PageCall): Promise<unknown> {
  const steps = path === undefined ? [] : findSetting(parseSettingPath(path)).steps;
  const layers = await loadLayers({ folder, includeEnvironment: true });
  const { config, warnings } = combineLayers(layers);
  const all = withDefaults(config);
  const sources = (await effectiveSettings(layers, all, steps)).map(({ path: at, value, origin }) => ({
    path: at,
    value: withoutSecrets(value, namesIn(parseSettingPath(at))),
    ...origin,
  }));
  return {
    path: formatSettingPath(steps),
    value: withoutSecrets(valueAt(all, steps), namesIn(steps)) ?? null,
    sources,
    files: layerFiles(folder).map((file) => ({ ...file, revision: revisionOf(readText(file.path)) })),
    warnings,
  };
}

async function set(params: SetParams, { workspace: folder, gateway }: PageCall, program: string): Promise<unknown> {
  const { path, layer = 'user', dryRun = false, revision } = params;
  const { steps, schema } = findSetting(parseSettingPath(path));
  const edit: Edit =
    params.value === undefined
      ? { verb: 'unset' }
      : {
          verb: 'set',
          value: await parseSettingValue(schema, formatSettingPath(steps), JSON.stringify(params.value), 'json'),
        };
  if (params.value !== undefined) await refuseMask(params.value, steps, folder);
  const named = fileOf(folder, layer);
  const request: SettingsRequest = { folder, named, edits: [{ steps, edit }], dryRun, program, revision };
  const change = await writeSettings(request);
  const { path: file, at, found, changed, created, after } = change;
  const nodeList = (): ReturnType<typeof gateway.call<'node.list'>> => gateway.call('node.list', {});
  const warnings = dryRun ? [] : [...(await warningsAfter(request)), ...(await bindingWarnings(steps, edit, nodeList))];
  return {
    path: formatSettingPath(steps.includes(END) ? at : steps),
    file,
    ocPath: ocAddress(file, at),
    found,
    changed,
    created,
    diff: await maskedDiff(change),
    warnings,
    revision: dryRun || !found ? revision : revisionOf(after),
  };
}

/** The page shows `***` for a secret, so a value with it was made from what was shown and would overwrite the secret. */
async function refuseMask(value: unknown, steps: readonly Step[], folder: string): Promise<void> {
  if (!JSON.stringify(value).includes(MASK)) return;
  const { config } = combineLayers(await loadLayers({ folder, includeEnvironment: false }));
  const before = valueAt(withDefaults(config), steps);
  if (JSON.stringify(before) === JSON.stringify(withoutSecrets(before, namesIn(steps)))) return;
  throw new Fault(
    'CONFIG_INVALID',
    `${formatSettingPath(steps)}: the value has ${MASK} where the setting has a secret`,
    {
      hint: 'set the parts that have no secrets, or use pincer config set',
    },
  );
}

function namesIn(steps: readonly Step[]): readonly string[] {
  return steps.map(String);
}

function fileOf(folder: string, layer: ConfigSource['layer']): ConfigSource {
  const found = layerFiles(folder).find((file) => file.layer === layer);
  if (found === undefined) throw new Fault('CONFIG_PATH', `${folder} has no ${layer} file`);
  return found;
}

/** Not the value, which may be a secret. */
function recordOf({ path, layer = 'user', dryRun, value }: SetParams): Readonly<Record<string, unknown>> | undefined {
  if (dryRun === true) return undefined;
  return { method: 'config.set', path, layer, action: value === undefined ? 'unset' : 'set' };
}
