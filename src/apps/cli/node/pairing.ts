/** `pincer node status` and `pincer node forget`. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../../base/fault.ts';
import { stateFolder } from '../../../config/state.ts';
import { loadIdentity } from '../../../hosts/identity/keys.ts';
import { openNodeStore, type PairedGateway } from '../../node/node-store.ts';
import { readNodeState } from '../../node/state-file.ts';
import type { Output } from '../../terminal/output.ts';
import { visibleLine } from '../../terminal/visible.ts';
import { printJson } from '../print-json.ts';
import { stateText } from './state-text.ts';

export async function showStatus(json: boolean, output: Output): Promise<number> {
  const stateDir = stateFolder();
  const running = readNodeState(stateDir);
  const gateway = await pairedGateway(stateDir);
  const id = existsSync(join(stateDir, 'identity.json')) ? loadIdentity(stateDir).id : undefined;
  if (json)
    printJson(output, {
      running: running !== undefined,
      ...(id === undefined ? {} : { id }),
      ...(gateway === undefined ? {} : { gateway }),
      ...running,
    });
  else {
    output.out(`${id === undefined ? 'this machine has no identity yet' : `id      ${id}`}\n`);
    output.out(
      gateway === undefined ? 'gateway not paired\n' : `gateway ${gateway.id} at ${visibleLine(gateway.url)}\n`,
    );
    output.out(
      running === undefined
        ? 'pincer node run is not running\n'
        : `node    ${visibleLine(running.name)}, pid ${running.pid}, ${stateText(running.connection)}\n`,
    );
  }
  return running === undefined && gateway === undefined ? 1 : 0;
}

/** The identity stays: the gateway still knows this machine by it. */
export async function forgetGateway(json: boolean, output: Output): Promise<number> {
  const stateDir = stateFolder();
  const running = readNodeState(stateDir);
  if (running !== undefined)
    throw new Fault('NODE_RUNNING', `pincer node run uses the pairing (pid ${running.pid})`, {
      hint: 'stop it first, then run pincer node forget again',
    });
  const gateway = await pairedGateway(stateDir, (store) => store.forget());
  if (json) printJson(output, { forgotten: gateway ?? null });
  else output.out(gateway === undefined ? 'no gateway is paired\n' : `forgot the gateway ${gateway.id}\n`);
  return gateway === undefined ? 1 : 0;
}

async function pairedGateway(
  stateDir: string,
  change?: (store: Awaited<ReturnType<typeof openNodeStore>>) => unknown,
): Promise<PairedGateway | undefined> {
  if (!existsSync(join(stateDir, 'node.db'))) return undefined;
  const store = await openNodeStore(stateDir);
  try {
    const gateway = store.paired();
    change?.(store);
    return gateway;
  } finally {
    store.close();
  }
}
