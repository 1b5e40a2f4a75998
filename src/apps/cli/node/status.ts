/** `pincer node status`. */
import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { stateFolder } from '../../../config/state.ts';
import { nodeKeyFiles, nodeKeysIn } from '../../../hosts/identity/node-keys.ts';
import type { OwnNodeSettings } from '../../../config/server-settings.ts';
import type { NodeAnswers } from '../../../wire/approval.ts';
import { type PairedGateway, readPairing } from '../../node/node-store.ts';
import { restricted } from '../../node/guest.ts';
import { ownSettings } from '../../node/own-settings.ts';
import { readNodeState, type RunningNodeState } from '../../node/state-file.ts';
import type { Output } from '../../terminal/output.ts';
import { printJson } from '../print-json.ts';
import { durationText } from '../ps/run.ts';
import { gatewayText } from './pairing.ts';
import { rowText, stateText, termsRows } from './state-text.ts';

type Settings = 'name' | 'workspace' | 'workspaceFrom' | 'exec' | 'sandbox' | 'files' | 'answers' | 'confirmed';

export interface OwnNodeStatus extends Pick<RunningNodeState, Settings>, Partial<Omit<RunningNodeState, Settings>> {
  readonly running: boolean;
  readonly pid?: number;
  readonly id?: string;
  readonly gateway?: PairedGateway;
  /** A new key is prepared, and the gateway has not accepted it yet. */
  readonly isRotating: boolean;
}

export async function ownNodeStatus(stateDir = stateFolder()): Promise<OwnNodeStatus> {
  const running = readNodeState(stateDir);
  const gateway = await readPairing(stateDir);
  const { settings, name } = await ownSettings({}, hostname());
  const confirmed = gateway !== undefined && gateway.unconfirmed === undefined;
  const hasKey = existsSync(join(stateDir, 'identity.json'));
  const id = gateway?.node ?? running?.id ?? (hasKey ? nodeKeysIn(stateDir).current().id : undefined);
  return {
    running: running !== undefined,
    name: gateway?.name ?? name,
    // Without a pairing nothing restricts the settings: an invitation confirms it.
    ...restricted({ ...shown(settings), confirmed: gateway === undefined || confirmed }),
    ...running,
    confirmed, // another process may have confirmed it a moment ago
    ...(id === undefined ? {} : { id }),
    ...(gateway === undefined ? {} : { gateway }),
    isRotating: existsSync(nodeKeyFiles(stateDir).next),
  };
}

function shown({ workspace, workspaceFrom, exec, sandbox, files, answers }: OwnNodeSettings) {
  return { workspace, workspaceFrom, exec, sandbox, files, answers };
}

export async function showStatus(json: boolean, output: Output): Promise<number> {
  const status = await ownNodeStatus();
  if (json) printJson(output, status);
  else output.out(statusText(status, Date.now()));
  return status.running || status.gateway !== undefined ? 0 : 1;
}

const NOT_CONFIRMED =
  'no: each command needs an answer here until pincer node confirm, with the digits that pincer nodes approve printed';
const ANSWERS: Readonly<Record<NodeAnswers, string>> = {
  none: 'none: commands that need approval are answered on this machine',
  once: 'once: the operator of the gateway can allow a single run of a command that needs approval',
  always: 'always: the operator of the gateway can also store rules here',
};

function statusText(status: OwnNodeStatus, now: number): string {
  const { name, id, gateway, answers, isRotating, pid, connection, since = now } = status;
  const rows: readonly (readonly [string, string | undefined])[] = [
    ['node', `${name}${id === undefined ? ' (no key yet)' : ` (${id})`}`],
    ['gateway', gateway === undefined ? 'not paired: pincer node pair' : gatewayText(gateway)],
    ['paired', gateway === undefined ? undefined : new Date(gateway.pairedAt).toISOString()],
    [
      'connection',
      connection === undefined
        ? 'pincer node run is not running'
        : `${stateText(connection)}, for ${durationText(now - since)} (pid ${pid})`,
    ],
    ['confirmed', gateway?.unconfirmed === undefined ? undefined : NOT_CONFIRMED],
    ...termsRows({ ...status, confirmed: gateway === undefined || status.confirmed }),
    [
      'answers',
      status.sandbox ? `${answers}: no effect, because node.sandbox is true and nothing asks there` : ANSWERS[answers],
    ],
    ['key', isRotating ? 'a new one waits until the gateway accepts it' : undefined],
  ];
  return rows.map(([title, text]) => (text === undefined ? '' : rowText([title, text]))).join('');
}
