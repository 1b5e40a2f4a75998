/** `pincer config get`: prints effective values and their sources. */
import { type EffectiveSetting, effectiveSettings, valueAt, withDefaults } from '../../../config/load/effective.ts';
import { combineLayers, type Layer, loadLayers } from '../../../config/load/load.ts';
import { checkValue, parseText, readText } from '../../../config/load/read.ts';
import { formatSettingPath, parseSettingPath, type Step } from '../../../config/schema/setting-path.ts';
import { findSetting, type NamedSetting } from '../../../config/schema/settings.ts';
import { visible, visibleLine } from '../../terminal/visible.ts';
import type { NamedFile } from '../../../config/config-files.ts';
import { type ConfigRun, namedFile, valueText } from './config-run.ts';

export async function runGet(run: ConfigRun): Promise<number> {
  const { args, json, output } = run;
  const setting = args.positionals[0] === undefined ? undefined : findSetting(parseSettingPath(args.positionals[0]));
  const steps = setting?.steps ?? [];
  const { layers, all } = await read(run, namedFile(run));
  for (const warning of combineLayers(layers).warnings) run.notice(warning);
  const value = valueAt(all, steps);
  if (value === undefined) return notSet(run, steps, setting);
  if (args.flags.has('show-source') || args.flags.has('verbose')) {
    const held = await effectiveSettings(layers, all, steps);
    if (json)
      output.out(`${JSON.stringify({ path: formatSettingPath(steps), value, sources: held.map(flat) }, null, 2)}\n`);
    else for (const one of held) output.out(`${row(one, run)}\n`);
  } else if (args.flags.has('raw') && typeof value === 'string') output.out(`${value}\n`);
  else output.out(`${json || args.flags.has('raw') ? JSON.stringify(value, null, 2) : visible(valueText(value))}\n`);
  return 0;
}

/** All layers and defaults, or a single file. */
async function read(
  { folder }: ConfigRun,
  named: NamedFile | undefined,
): Promise<{ layers: readonly Layer[]; all: unknown }> {
  if (named === undefined) {
    const layers = await loadLayers({ folder, includeEnvironment: true });
    return { layers, all: withDefaults(combineLayers(layers).config) };
  }
  const text = readText(named.path);
  if (text === undefined) return { layers: [], all: {} };
  const { values, diagnostics } = checkValue(await parseText(text, named.path));
  const layer = named.layer === 'file' ? 'user' : named.layer;
  return { layers: [{ layer, path: named.path, values, diagnostics }], all: values };
}

function notSet(run: ConfigRun, steps: readonly Step[], setting: NamedSetting | undefined): number {
  const path = formatSettingPath(steps);
  const otherwise = setting?.schema.shape.defaultNote;
  run.notice(
    `${path === '' ? 'nothing' : path} is ${path === '' ? '' : 'not '}set${otherwise === undefined ? '' : ` (default: ${otherwise})`}`,
  );
  return 1;
}

function flat({ path, value, origin }: EffectiveSetting) {
  return { path, value, ...origin };
}

function row({ path, value, origin }: EffectiveSetting, { style }: ConfigRun): string {
  const { layer, file, line, variable, ocPath } = origin;
  const place = variable ?? (file === undefined ? '' : `${file}:${line}`);
  const where = [layer, place, ocPath ?? ''].filter((part) => part !== '').join('  ');
  return `${visibleLine(`${path} = ${JSON.stringify(value)}`)}  ${style.quiet(visibleLine(where))}`;
}
