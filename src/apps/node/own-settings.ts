/** The settings of this machine as a node: those of the command line before those of the configuration. */
import { Fault } from '../../base/fault.ts';
import { execSettings } from '../../config/exec-settings.ts';
import { loadConfig } from '../../config/load/load.ts';
import { type OwnNodeSettings, ownNodeSettings } from '../../config/server-settings.ts';
import { homeFolder } from '../../config/state.ts';
import { DEFAULT_AGENT } from '../../wire/actor.ts';
import type { NodeOffer } from '../../wire/nodes/node.ts';
import type { NodeTerms } from './guest.ts';

/** The settings of the command line. */
export interface NodeSettings {
  readonly gateway?: string;
  readonly name?: string;
  readonly workspace?: string;
}

const LONGEST_NAME = 64;

/** Only the user file and the environment of this process can set `node`. A file in the workspace of a gateway cannot. */
export async function ownSettings(
  given: NodeSettings,
  hostName: string,
): Promise<{
  readonly settings: OwnNodeSettings;
  /** The name that this node reports. */
  readonly name: string;
  readonly pathPrepend: readonly string[];
}> {
  const loaded = await loadConfig({ folder: '/', includeEnvironment: true });
  const settings = ownNodeSettings(loaded, given);
  return {
    settings,
    name: shownName(settings.name ?? hostName),
    pathPrepend: execSettings(loaded, DEFAULT_AGENT, homeFolder()).pathPrepend,
  };
}

export function offerOf(terms: Pick<NodeTerms, 'exec' | 'files' | 'workspace' | 'confirmed'>): NodeOffer {
  const { exec, files, workspace, confirmed } = terms;
  return { exec, files, pty: true, workspace, ...(confirmed ? {} : { unconfirmed: true as const }) };
}

/** The gateway refuses names with control characters. */
function shownName(name: string): string {
  return name.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '').slice(0, LONGEST_NAME) || 'node';
}

export function noGateway(): Fault {
  return new Fault('NODE_NO_GATEWAY', 'this node has no gateway to connect to', {
    hint: 'pincer node pair --gateway wss://host:port, or --invitation with what pincer nodes invite prints',
  });
}
