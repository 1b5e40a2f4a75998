/** `pincer plugins`: what can be switched on and off. */
import { Fault } from '../../../base/fault.ts';
import { agentName } from '../../../config/agent.ts';
import { changeConfigFile, type Edit, type LocateEdit } from '../../../config/edit/change.ts';
import { loadConfig } from '../../../config/load/load.ts';
import { isPluginEnabled, PLUGINS, type Plugin } from '../../../config/plugins.ts';
import { stateFolder } from '../../../config/state.ts';
import { fileOfLayer, workingFolder } from '../config/command.ts';
import { newFile } from '../config/new-file.ts';
import { helpOf, shapeOf, unknownVerb } from '../definition.ts';
import { reportFailure } from '../failure.ts';
import { refuseInsideSession } from '../inside.ts';
import { BrokenPipe, jsonOutput, type Output } from '../../terminal/output.ts';
import { visibleLine } from '../../terminal/visible.ts';
import { didYouMean } from '../../../text/nearest-names.ts';
import { asksForHelp, readWords, wantsJson, errorsAsJson } from '../arguments.ts';
import { definition } from './definition.ts';

export async function runPlugins(argv: readonly string[], output: Output): Promise<number> {
  const json = wantsJson(argv, output.isTerminal);
  try {
    const [verb = '', ...rest] = argv;
    if (verb === '' || verb === 'help' || asksForHelp(argv)) {
      output.out(helpOf(definition));
      return 0;
    }
    if (!['list', 'enable', 'disable'].includes(verb)) throw unknownVerb(definition, verb);
    const { words, flags } = readWords(shapeOf(definition, verb), rest);
    if (verb === 'list') return await list(json, json ? jsonOutput(output) : output);
    const plugin = pluginCalled(words[0]!);
    await turn(plugin, verb === 'enable');
    if (verb === 'enable' && !isPluginEnabled(await loadConfig({ folder: workingFolder() }), plugin.id))
      throw new Fault(
        'CONFIG_PLUGIN_DISABLED',
        `the plugin ${plugin.id} is enabled for you, and disabled in this folder`,
        {
          hint: "the project's own pincer.jsonc says so; pincer config file shows where it is",
        },
      );
    // Scripts of the specification read this sentence; JSON is for those who ask for it.
    if (flags.has('json'))
      output.out(`${JSON.stringify({ id: plugin.id, enabled: verb === 'enable', builtIn: true })}\n`);
    else output.out(`${plugin.id} is built in and ${verb}d\n`);
    return 0;
  } catch (error) {
    if (error instanceof BrokenPipe) throw error;
    return reportFailure(error, errorsAsJson(argv, output), output);
  }
}

async function list(json: boolean, output: Output): Promise<number> {
  const loaded = await loadConfig({ folder: workingFolder(), includeEnvironment: true });
  const plugins = PLUGINS.map((plugin) => ({ ...plugin, builtIn: true, enabled: isPluginEnabled(loaded, plugin.id) }));
  if (json) output.out(`${JSON.stringify({ plugins }, null, 2)}\n`);
  else
    for (const { id, enabled, summary } of plugins)
      output.out(visibleLine(`${id}  ${enabled ? 'enabled ' : 'disabled'}  ${summary}`) + '\n');
  return 0;
}

function pluginCalled(id: string): Plugin {
  const found = PLUGINS.find((plugin) => plugin.id === id);
  if (found !== undefined) return found;
  const ids = PLUGINS.map((plugin) => plugin.id);
  throw new Fault('CONFIG_PLUGIN_UNKNOWN', `there is no plugin ${JSON.stringify(id)}${didYouMean(id, ids)}`, {
    hint: `there are ${ids.join(', ')}`,
    details: { plugin: id, plugins: ids },
  });
}

/** On is what holds where nothing is said, so that switching on takes the word away that switched it off. */
async function turn({ id }: Plugin, enabled: boolean): Promise<void> {
  const user = fileOfLayer(workingFolder(), 'user');
  const at = ['plugins', 'entries', id, 'enabled'];
  if (!enabled) {
    refuseInsideSession('switching a plugin off');
    const edit: Edit = { verb: 'set', value: false };
    await change(user.path, () => ({ ...edit, at }), newFile(user));
    return;
  }
  await change(user.path, (document) => {
    if (!document.has(at)) return undefined;
    refuseInsideSession('switching a plugin on');
    return { verb: 'unset', at };
  });
  if (isPluginEnabled(await loadConfig({ folder: workingFolder() }), id)) return;
  refuseInsideSession('switching a plugin on');
  await change(user.path, () => ({ verb: 'set', value: true, at }), newFile(user));
}

function change(path: string, edit: LocateEdit, made?: ReturnType<typeof newFile>) {
  return changeConfigFile({
    path,
    edits: [edit],
    stateDir: stateFolder(),
    cwd: workingFolder(),
    agent: agentName(),
    ...(made === undefined ? {} : { newFile: made }),
  });
}
