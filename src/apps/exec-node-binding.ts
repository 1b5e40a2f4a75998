/** The panel "Exec node binding": reads and writes `tools.exec.node` of all agents and of each, as `pincer config set` does. */
import { Fault } from '../base/fault.ts';
import { layerFiles, type NamedFile } from '../config/config-files.ts';
import { type Edit, revisionOf } from '../config/edit/change.ts';
import { type SettingEdit, warningsAfter, writeSettings } from '../config/edit/write-settings.ts';
import { effectiveSettings, valueAt, withDefaults } from '../config/load/effective.ts';
import { combineLayers, type Layer, loadLayers } from '../config/load/load.ts';
import { ocAddress } from '../config/load/oc-address.ts';
import { readText } from '../config/load/read.ts';
import { END, formatSettingPath, type Step } from '../config/schema/setting-path.ts';
import { maskedDiff } from '../config/edit/masked-diff.ts';
import type { BindingAnswer, ExecBindings } from '../wire/nodes/binding.ts';
import type { Gateway } from '../wire/methods.ts';
import { bindingWarnings } from './node-bindings.ts';

export interface BindingContext {
  readonly folder: string;
  readonly gateway: Pick<Gateway, 'call'>;
  /** Agents that are shown besides those of the configuration. */
  readonly agents: readonly string[];
  /** The program, for the `$schema` of a new configuration file. */
  readonly program?: string | undefined;
}

export interface NewBinding {
  /** Absent: the default of all agents. */
  readonly agent?: string | undefined;
  /** The id or the name of a node; null removes the setting. */
  readonly node: string | null;
  /** Of the file, from `readBindings`. */
  readonly revision: string;
  /** Returns the diff and writes nothing. */
  readonly dryRun?: boolean | undefined;
}

const NODE = ['tools', 'exec', 'node'] as const;

export async function readBindings(context: BindingContext): Promise<ExecBindings> {
  const { folder, agents } = context;
  const layers = await loadLayers({ folder, includeEnvironment: true });
  const { config, warnings } = combineLayers(layers);
  const all = withDefaults(config);
  const ids = (config.agents?.list ?? []).flatMap(({ id }) => id ?? []);
  const names = [...new Set([...ids, ...agents])];
  return {
    revision: revisionOf(readText(userFile(folder).path)),
    default: await rowOf(context, undefined, layers, all),
    agents: await Promise.all(names.map(async (agent) => ({ agent, ...(await rowOf(context, agent, layers, all)) }))),
    warnings,
  };
}

/** Writes the user's file. A revision of another content writes nothing, and returns the current state. */
export async function writeBinding(context: BindingContext, binding: NewBinding): Promise<BindingAnswer> {
  const { folder, gateway, program } = context;
  const { agent, node, revision, dryRun = false } = binding;
  const edit = await editOf(folder, agent, node);
  const named = userFile(folder);
  const request = { folder, named, edits: [edit], program, revision, dryRun };
  try {
    const change = await writeSettings(request);
    const { path: file, at, changed } = change;
    const steps = [...at, ...(edit.steps.includes(END) ? NODE : [])];
    const nodes = () => gateway.call('node.list', {});
    return {
      ok: true,
      path: formatSettingPath(steps),
      file,
      ocPath: ocAddress(file, steps),
      changed,
      diff: await maskedDiff(change),
      warnings: [
        ...(dryRun ? [] : await warningsAfter(request)),
        ...(node === null ? [] : await bindingWarnings(NODE, { verb: 'set', value: node }, nodes)),
      ],
      current: await readBindings(context),
    };
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'CONFIG_CHANGED') throw error;
    return { ok: false, reason: 'conflict', message: error.message, current: await readBindings(context) };
  }
}

async function rowOf(
  { folder, gateway, program }: BindingContext,
  agent: string | undefined,
  layers: readonly Layer[],
  all: unknown,
): Promise<ExecBindings['default']> {
  const edit = await editOf(folder, agent, 'node');
  const { steps } = edit;
  const isNew = steps.includes(END);
  // What a change would write: an entry of another layer needs one of its own in this file.
  const request = { folder, named: userFile(folder), edits: [edit], dryRun: true, program };
  const { path: file, at } = await writeSettings(request);
  const node = isNew ? undefined : valueAt(all, steps);
  const [setting] = node === undefined ? [] : await effectiveSettings(layers, all, steps);
  const place = [...at, ...(isNew ? NODE : [])];
  return {
    path: formatSettingPath(isNew ? place : steps),
    file,
    ocPath: ocAddress(file, place),
    choice: await gateway.call('node.choice', { folder, ...(agent === undefined ? {} : { agent }) }),
    ...(typeof node === 'string' ? { node } : {}),
    ...(setting === undefined ? {} : { source: setting.origin }),
  };
}

/** The edit of the setting; an agent without an entry gets one. */
async function editOf(folder: string, agent: string | undefined, node: string | null): Promise<SettingEdit> {
  const edit: Edit = node === null ? { verb: 'unset' } : { verb: 'set', value: node };
  if (agent === undefined) return { steps: NODE, edit };
  const { config } = combineLayers(await loadLayers({ folder }));
  const index = (config.agents?.list ?? []).findIndex(({ id }) => id === agent);
  if (index >= 0) return { steps: ['agents', 'list', index, ...NODE] satisfies readonly Step[], edit };
  if (node === null) throw noEntry(agent);
  return { steps: ['agents', 'list', END], edit: { verb: 'set', value: { id: agent, tools: { exec: { node } } } } };
}

function userFile(folder: string): NamedFile {
  const found = layerFiles(folder).find(({ layer }) => layer === 'user');
  if (found === undefined) throw new Fault('CONFIG_PATH', `${folder} has no user file`);
  return found;
}

function noEntry(agent: string): Fault {
  return new Fault('CONFIG_PATH', `agents.list has no entry for ${JSON.stringify(agent)}`, {
    hint: 'the setting of all agents applies to it: change tools.exec.node',
  });
}
