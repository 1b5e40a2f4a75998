/** `pincer node pair`, `rotate` and `forget`: the pairing of this machine, without serving the gateway. */
import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { Fault } from '../../../base/fault.ts';
import { stateFolder } from '../../../config/state.ts';
import { buildOf } from '../../client/program.ts';
import { nodePlatform } from '../../node/gateway-calls.ts';
import { type NodeStore, openNodeStore, type PairedGateway, readPairing } from '../../node/node-store.ts';
import { denyQuestions } from '../../node/guest-questions.ts';
import { nodeRunning, type OwnNodeOptions } from '../../node/own-node.ts';
import { noGateway } from '../../node/own-settings.ts';
import { readNodeState } from '../../node/state-file.ts';
import { jsonOutput, type Output } from '../../terminal/output.ts';
import { ifRecorded } from '../if-running.ts';
import { ownProgram } from '../own-program.ts';
import { printJson } from '../print-json.ts';
import { firstSignal } from '../serve/run.ts';
import { dial } from './dial.ts';
import type { GivenNode } from './given.ts';
import { addressText, comparisonText, CONFIRM_TEXT } from './state-text.ts';

const INTERRUPTED = 130;

/** With `--json`, a line with the digits where they are needed, and one for the pairing. */
export async function pair({ given, invitation }: GivenNode, json: boolean, output: Output): Promise<number> {
  const { pairNode } = await import('../../node/own-node.ts');
  const shared = options();
  const before = await readPairing(shared.stateDir);
  const pairing = pairNode({
    ...shared,
    given,
    ...(invitation === undefined ? {} : { invitation }),
    onState: (state) => {
      if (json) jsonOutput(output).out(`${JSON.stringify(state)}\n`);
      else output.out(comparisonText(state.code));
    },
  });
  const gateway = await pairing.catch((error: unknown) => {
    if (shared.signal.aborted) return undefined; // the person gave up
    throw error;
  });
  if (gateway === undefined) {
    output.err('pincer node pair: interrupted; this machine is not paired\n');
    return INTERRUPTED;
  }
  if (before?.id !== gateway.id) await ended(before);
  if (json) jsonOutput(output).out(`${JSON.stringify({ state: 'paired', gateway })}\n`);
  else
    output.out(
      `paired with the gateway ${gatewayText(gateway)}\n${otherName(gateway, given.name)}${gateway.unconfirmed === undefined ? '' : CONFIRM_TEXT}next: pincer node run, or pincer node install\n`,
    );
  return 0;
}

/** The gateway keeps the name of a node that it knows, and gives each node another one. */
function otherName({ name }: PairedGateway, given: string | undefined): string {
  if (given === undefined || name === undefined || name === given) return '';
  return `it is paired as ${name}; to rename it, run on the gateway: pincer nodes rename ${name} ${given}\n`;
}

export async function rotate(json: boolean, output: Output): Promise<number> {
  const { rotateKey } = await import('../../node/own-node.ts');
  const rotation = await rotateKey({ ...options(), given: {} });
  if (json) printJson(output, { rotation });
  else if (rotation === 'replaced') output.out('the node has a new key; the gateway refuses the old one\n');
  else output.out('the new key is ready; pincer node run uses it as soon as it is connected\n');
  return 0;
}

/** The person has read the digits at the gateway. A machine in between, or another gateway, has other ones. */
export async function confirm(typed: string, json: boolean, output: Output): Promise<number> {
  const code = typed.replaceAll(/[\s-]/gu, '');
  let isConfirmed = false;
  const gateway = await changePairing(stateFolder(), (store) => void (isConfirmed = store.confirm(code)));
  if (gateway === undefined) throw noGateway();
  if (!isConfirmed && gateway.unconfirmed !== undefined) throw otherDigits(gateway);
  if (json) printJson(output, { confirmed: gateway.id, changed: isConfirmed });
  else output.out(`${isConfirmed ? 'confirmed' : 'already confirmed:'} the gateway ${gatewayText(gateway)}\n`);
  return 0;
}

function otherDigits({ id, url }: PairedGateway): Fault {
  return new Fault('NODE_CODE_DIFFERS', 'these are not the digits that this machine has shown', {
    hint: 'compare them with what pincer nodes approve printed; if they differ, another machine answered: stop pincer node run, run pincer node forget, and check the address',
    details: { gateway: id, url },
  });
}

/** The key stays: the gateway still knows this machine by it. */
export async function forgetGateway(json: boolean, output: Output): Promise<number> {
  const stateDir = stateFolder();
  const running = readNodeState(stateDir);
  if (running !== undefined) throw nodeRunning(running.pid);
  const gateway = await changePairing(stateDir, (store) => store.forget());
  await ended(gateway);
  if (json) printJson(output, { forgotten: gateway ?? null });
  else output.out(gateway === undefined ? 'no gateway is paired\n' : `forgot the gateway ${gateway.id}\n`);
  return gateway === undefined ? 1 : 0;
}

async function ended(gateway: PairedGateway | undefined): Promise<void> {
  if (gateway !== undefined) await ifRecorded('records', (client) => denyQuestions(client, gateway.id));
}

/** Changes the pairing, and returns the one before. */
async function changePairing(
  stateDir: string,
  change: (store: NodeStore) => unknown,
): Promise<PairedGateway | undefined> {
  if (!existsSync(join(stateDir, 'node.db'))) return undefined;
  const store = await openNodeStore(stateDir);
  try {
    const gateway = store.paired();
    change(store);
    return gateway;
  } finally {
    store.close();
  }
}

export function gatewayText({ id, url, proxy }: PairedGateway): string {
  return `${id} at ${addressText({ url, ...(proxy === true ? { proxy } : {}) })}`;
}

function options(): Omit<OwnNodeOptions, 'given'> {
  const stop = new AbortController();
  void firstSignal().then((name) => stop.abort(new Error(`interrupted by ${name}`)));
  return {
    stateDir: stateFolder(),
    version: buildOf(ownProgram() ?? '').version,
    hostName: hostname(),
    platform: nodePlatform(process.platform),
    dial,
    signal: stop.signal,
  };
}
