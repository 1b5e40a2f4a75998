/** Warns about a node in a new value of a setting that is not paired, or that is named by the first letters of its id. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Edit } from '../../../config/edit/change.ts';
import type { Step } from '../../../config/schema/setting-path.ts';
import { stateFolder } from '../../../config/state.ts';
import type { NodeInfo } from '../../../wire/nodes/node.ts';
import { bindingWarnings } from '../../node-bindings.ts';
import { ifRunning } from '../if-running.ts';

export function nodeWarnings(steps: readonly Step[], edit: Edit): Promise<readonly string[]> {
  return bindingWarnings(steps, edit, knownNodes);
}

/** Undefined where only a daemon could tell, and none runs. */
async function knownNodes(): Promise<readonly NodeInfo[] | undefined> {
  if (!existsSync(join(stateFolder(), 'gateway.db'))) return [];
  return ifRunning((client) => client.call('node.list', {}));
}
