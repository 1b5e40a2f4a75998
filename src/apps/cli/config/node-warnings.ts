/** Warns about a node in a setting that is not paired, or that is named by the first letters of its id. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Edit } from '../../../config/edit/change.ts';
import { formatSettingPath, type Step } from '../../../config/schema/setting-path.ts';
import { stateFolder } from '../../../config/state.ts';
import { isWholeNodeId, matchingNodes, nodeLabel } from '../../../policy/node-match.ts';
import type { NodeInfo } from '../../../wire/nodes/node.ts';
import { ifRunning } from '../if-running.ts';

export async function nodeWarnings(steps: readonly Step[], edit: Edit): Promise<readonly string[]> {
  const path = formatSettingPath(steps);
  const names = edit.verb === 'unset' ? [] : namesIn(path, edit.value);
  const nodes = names.length === 0 ? undefined : await knownNodes();
  if (nodes === undefined) return [];
  const paired = nodes.filter(({ state }) => state === 'paired');
  return names.flatMap((name) => warningAbout(name, paired).map((warning) => `${path}: ${warning}`));
}

function namesIn(path: string, value: unknown): readonly string[] {
  if (!/(?:^|\.)tools\.(?:exec|fs)\.nodes?(?:\[\d+\])?$/u.test(path)) return [];
  return (Array.isArray(value) ? value : [value]).filter((name) => typeof name === 'string');
}

/** Another machine can have a key whose id starts with the same letters, and be paired later. */
export function warningAbout(name: string, paired: readonly NodeInfo[]): readonly string[] {
  const quoted = JSON.stringify(name);
  const [node, ...others] = matchingNodes(name, paired);
  if (node === undefined) return [`no paired node is called ${quoted}; pincer nodes list shows them`];
  if (others.length > 0) return [`${quoted} means several nodes; use the whole id of one of them`];
  if (isWholeNodeId(name.trim()) || nodeLabel(node.name) === nodeLabel(name.trim())) return [];
  return [`${quoted} is the start of an id, which another machine can have, too; use the whole id ${node.id}`];
}

/** Undefined where only a daemon could tell, and none runs. */
async function knownNodes(): Promise<readonly NodeInfo[] | undefined> {
  if (!existsSync(join(stateFolder(), 'gateway.db'))) return [];
  return ifRunning((client) => client.call('node.list', {}));
}
