/** The settings that name nodes, and whether these names still mean one of the paired nodes. */
import { Fault } from '../base/fault.ts';
import { loadConfig } from '../config/load/load.ts';
import type { Edit } from '../config/edit/change.ts';
import type { ConfigFile, ToolsConfig } from '../config/schema/schema.ts';
import { END, formatSettingPath, type Step } from '../config/schema/setting-path.ts';
import { isWholeNodeId, matchingNodes, nodeLabel } from '../policy/node-match.ts';
import type { NodeInfo } from '../wire/nodes/node.ts';
import { isOfConfiguration } from './configured-toolbox.ts';

export interface NodeBinding {
  /** The path of the setting. */
  readonly path: string;
  readonly name: string;
}

export function nodeBindings({ tools, agents }: Pick<ConfigFile, 'tools' | 'agents'>): readonly NodeBinding[] {
  const list = agents?.list ?? [];
  return [
    ...bindingsOf('', tools),
    ...list.flatMap((agent, index) => bindingsOf(`agents.list[${index}].`, agent?.tools)),
  ];
}

/** None where the configuration cannot be read: every command refuses it, and `doctor` reports it. */
export async function configuredBindings(folder: string): Promise<readonly NodeBinding[]> {
  try {
    return nodeBindings((await loadConfig({ folder, includeEnvironment: true })).config);
  } catch (error) {
    if (error instanceof Fault && isOfConfiguration(error)) return [];
    throw error;
  }
}

function bindingsOf(prefix: string, tools: Pick<ToolsConfig, 'exec' | 'fs'> | undefined): readonly NodeBinding[] {
  return (['exec', 'fs'] as const).flatMap((group) => {
    const { node, nodes = [] } = tools?.[group] ?? {};
    const path = `${prefix}tools.${group}`;
    return [
      ...(node === undefined ? [] : [{ path: `${path}.node`, name: node }]),
      ...nodes.map((name, index) => ({ path: `${path}.nodes[${index}]`, name })),
    ];
  });
}

/** Why a name of a setting means none of the paired nodes, or may mean another one later. `nodes` are those of the gateway. */
export function bindingProblem(name: string, nodes: readonly NodeInfo[]): string | undefined {
  const quoted = JSON.stringify(name);
  const [node, ...others] = matchingNodes(name, registered(nodes));
  if (node === undefined) return `no paired node is called ${quoted}; pincer nodes list shows them`;
  if (others.length > 0) return `${quoted} means several nodes; use the whole id of one of them`;
  if (node.state === 'revoked') return `node ${quoted} was removed; pincer nodes list shows the paired ones`;
  if (isWholeNodeId(name.trim()) || nodeLabel(node.name) === nodeLabel(name.trim())) return undefined;
  // Another machine can have a key whose id starts with the same letters, and be paired later.
  return `${quoted} is the start of an id, which another machine can have, too; use the whole id ${node.id}`;
}

/** A machine that waits for pairing is chosen by no setting. */
function registered(nodes: readonly NodeInfo[]): readonly NodeInfo[] {
  return nodes.filter(({ state }) => state !== 'pending');
}

/** The settings that named a node before the operator renamed or removed it, and do not name it any more. */
export function lostBindings(
  bindings: readonly NodeBinding[],
  id: string,
  before: readonly NodeInfo[],
  after: readonly NodeInfo[],
): readonly string[] {
  const namedIt = ({ name }: NodeBinding): boolean =>
    matchingNodes(name, registered(before)).some((node) => node.id === id);
  return bindings.filter(namedIt).flatMap(({ path, name }) => {
    const problem = bindingProblem(name, after);
    return problem === undefined ? [] : [`${path}: ${problem}`];
  });
}

/** Warns about nodes in a new value of a setting. `nodes` is called where the value names one; undefined is unknown. */
export async function bindingWarnings(
  steps: readonly Step[],
  edit: Edit,
  nodes: () => Promise<readonly NodeInfo[] | undefined>,
): Promise<readonly string[]> {
  const bindings = edit.verb === 'unset' ? [] : nodeBindings(withValue(steps, edit.value) as ConfigFile);
  const known = bindings.length === 0 ? undefined : await nodes();
  if (known === undefined) return [];
  const path = formatSettingPath(steps);
  const problems = new Set(bindings.map(({ name }) => bindingProblem(name, known)));
  return [...problems].flatMap((problem) => (problem === undefined ? [] : [`${path}: ${problem}`]));
}

/** A configuration that has only this value. */
function withValue([step, ...rest]: readonly Step[], value: unknown): unknown {
  if (step === undefined) return value;
  const inner = withValue(rest, value);
  return typeof step === 'number' || step === END ? [inner] : { [step]: inner };
}
