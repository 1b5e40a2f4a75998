/** `pincer plugins`: lists, enables and disables plugins. */
import { Fault } from '../../../base/fault.ts';
import { agentName } from '../../../config/agent.ts';
import { changeConfigFile, type Edit, type LocateEdit } from '../../../config/edit/change.ts';
import { loadConfig } from '../../../config/load/load.ts';
import { isPluginEnabled, PLUGINS, type Plugin } from '../../../config/plugins.ts';
import { stateFolder } from '../../../config/state.ts';
import { fileOfLayer } from '../config/config-run.ts';
import { newFile } from '../../../config/edit/new-file.ts';
import { ownProgram } from '../own-program.ts';
import { currentFolder } from '../current-folder.ts';
import { shapeOf, unknownVerb } from '../definition.ts';
import { runCommand } from '../run-command.ts';
import { printJson } from '../print-json.ts';
import { refuseInsideSession } from '../refuse-inside-session.ts';
import type { Output } from '../../terminal/output.ts';
import { visibleLine } from '../../terminal/visible.ts';
import { didYouMean } from '../../../text/nearest-names.ts';
import { asksForHelp, readArguments, wantsJson } from '../arguments.ts';
import { definition } from './definition.ts';

export function runPlugins(argv: readonly string[], output: Output): Promise<number> {
  const [first = '', ...rest] = argv;
  const verb = first === '' ? 'help' : first;
  const work = async (): Promise<number> => {
    if (!['list', 'enable', 'disable'].includes(verb)) throw unknownVerb(definition, verb);
    const { positionals, flags } = readArguments(shapeOf(definition, verb), rest);
    if (verb === 'list') return list(wantsJson(argv, output.isTerminal), output);
    const plugin = pluginCalled(positionals[0]!);
    await setEnabled(plugin, verb === 'enable');
    if (verb === 'enable' && !isPluginEnabled(await loadConfig({ folder: currentFolder() }), plugin.id))
      throw new Fault(
        'CONFIG_PLUGIN_DISABLED',
        `the plugin ${plugin.id} is enabled in your settings, but disabled in this folder`,
        {
          hint: "the project's pincer.jsonc disables it; pincer config file prints its path",
        },
      );
    // The specification fixes this sentence, so JSON needs --json also in a pipe.
    if (flags.has('json'))
      output.out(`${JSON.stringify({ id: plugin.id, enabled: verb === 'enable', builtIn: true })}\n`);
    else output.out(`${plugin.id} is built in and ${verb}d\n`);
    return 0;
  };
  return runCommand(definition, argv, output, work, { isHelp: verb === 'help' || asksForHelp(argv) });
}

async function list(json: boolean, output: Output): Promise<number> {
  const loaded = await loadConfig({ folder: currentFolder(), includeEnvironment: true });
  const plugins = PLUGINS.map((plugin) => ({ ...plugin, builtIn: true, enabled: isPluginEnabled(loaded, plugin.id) }));
  if (json) printJson(output, { plugins });
  else
    for (const { id, enabled, summary } of plugins)
      output.out(visibleLine(`${id}  ${enabled ? 'enabled ' : 'disabled'}  ${summary}`) + '\n');
  return 0;
}

function pluginCalled(id: string): Plugin {
  const found = PLUGINS.find((plugin) => plugin.id === id);
  if (found !== undefined) return found;
  const ids = PLUGINS.map((plugin) => plugin.id);
  throw new Fault('CONFIG_PLUGIN_UNKNOWN', `unknown plugin ${JSON.stringify(id)}${didYouMean(id, ids)}`, {
    hint: `plugins: ${ids.join(', ')}`,
    details: { plugin: id, plugins: ids },
  });
}

/** Enabled is the default, so enabling removes the setting. */
async function setEnabled({ id }: Plugin, enabled: boolean): Promise<void> {
  const user = fileOfLayer(currentFolder(), 'user');
  const at = ['plugins', 'entries', id, 'enabled'];
  if (!enabled) {
    refuseInsideSession('disabling a plugin');
    const edit: Edit = { verb: 'set', value: false };
    await change(user.path, () => ({ ...edit, at }), newFile(user, ownProgram()));
    return;
  }
  await change(user.path, (document) => {
    if (!document.has(at)) return undefined;
    refuseInsideSession('enabling a plugin');
    return { verb: 'unset', at };
  });
  if (isPluginEnabled(await loadConfig({ folder: currentFolder() }), id)) return;
  refuseInsideSession('enabling a plugin');
  await change(user.path, () => ({ verb: 'set', value: true, at }), newFile(user, ownProgram()));
}

function change(path: string, edit: LocateEdit, made?: ReturnType<typeof newFile>) {
  return changeConfigFile({
    path,
    edits: [edit],
    stateDir: stateFolder(),
    cwd: currentFolder(),
    agent: agentName(),
    ...(made === undefined ? {} : { newFile: made }),
  });
}
