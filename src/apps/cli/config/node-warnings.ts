/** Warns about a node in a new value of a setting that is not paired, or that is named by the first letters of its id. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Edit } from '../../../config/edit/change.ts';
import type { ConfigFile } from '../../../config/schema/schema.ts';
import { END, formatSettingPath, type Step } from '../../../config/schema/setting-path.ts';
import { stateFolder } from '../../../config/state.ts';
import type { NodeInfo } from '../../../wire/nodes/node.ts';
import { ifRunning } from '../if-running.ts';
import { bindingProblem, nodeBindings } from '../node-bindings.ts';

export async function nodeWarnings(steps: readonly Step[], edit: Edit): Promise<readonly string[]> {
  const bindings = edit.verb === 'unset' ? [] : nodeBindings(withValue(steps, edit.value) as ConfigFile);
  const nodes = bindings.length === 0 ? undefined : await knownNodes();
  if (nodes === undefined) return [];
  const path = formatSettingPath(steps);
  const problems = new Set(bindings.map(({ name }) => bindingProblem(name, nodes)));
  return [...problems].flatMap((problem) => (problem === undefined ? [] : [`${path}: ${problem}`]));
}

/** A configuration that has only this value. */
function withValue([step, ...rest]: readonly Step[], value: unknown): unknown {
  if (step === undefined) return value;
  const inner = withValue(rest, value);
  return typeof step === 'number' || step === END ? [inner] : { [step]: inner };
}

/** Undefined where only a daemon could tell, and none runs. */
async function knownNodes(): Promise<readonly NodeInfo[] | undefined> {
  if (!existsSync(join(stateFolder(), 'gateway.db'))) return [];
  return ifRunning((client) => client.call('node.list', {}));
}
