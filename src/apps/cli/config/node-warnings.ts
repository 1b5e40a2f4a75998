/** Warns about a node in a setting that is not paired. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Edit } from '../../../config/edit/change.ts';
import { formatSettingPath, type Step } from '../../../config/schema/setting-path.ts';
import { stateFolder } from '../../../config/state.ts';
import { meansNode } from '../../../policy/node-choice.ts';
import type { NodeInfo } from '../../../wire/node.ts';
import { ifRunning } from '../if-running.ts';

export async function nodeWarnings(steps: readonly Step[], edit: Edit): Promise<readonly string[]> {
  const path = formatSettingPath(steps);
  if (edit.verb === 'unset' || typeof edit.value !== 'string' || !/(?:^|\.)tools\.exec\.node$/u.test(path)) return [];
  const name = edit.value;
  const nodes = await knownNodes();
  if (nodes === undefined || nodes.some((node) => node.state === 'paired' && meansNode(name, node))) return [];
  return [`${path}: no paired node is called ${JSON.stringify(name)}; pincer nodes list shows them`];
}

/** Undefined where only a daemon could tell, and none runs. */
async function knownNodes(): Promise<readonly NodeInfo[] | undefined> {
  if (!existsSync(join(stateFolder(), 'gateway.db'))) return [];
  return ifRunning((client) => client.call('node.list', {}));
}
