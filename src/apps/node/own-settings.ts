/** The settings of this machine as a node: those of the command line before those of the configuration. */
import { Fault } from '../../base/fault.ts';
import { replaceHidden } from '../../base/hidden-characters.ts';
import { toolsConfigOf } from '../../config/exec-settings.ts';
import { loadConfig } from '../../config/load/load.ts';
import { type OwnNodeSettings, ownNodeSettings } from '../../config/server-settings.ts';
import { expandHome, homeFolder } from '../../config/state.ts';
import { shortened } from '../../hosts/nodes/node-name.ts';
import { DEFAULT_AGENT } from '../../wire/actor.ts';
import type { NodeOffer } from '../../wire/nodes/node.ts';
import type { NodeTerms } from './guest.ts';

/** The settings of the command line. */
export interface NodeSettings {
  readonly gateway?: string;
  readonly name?: string;
  readonly workspace?: string;
  /** TLS ends at a proxy. */
  readonly proxy?: true;
}

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
  const home = homeFolder();
  const { pathPrepend = [] } = toolsConfigOf(loaded, DEFAULT_AGENT).exec ?? {};
  return {
    settings,
    name: shownName(settings.name ?? hostName),
    pathPrepend: pathPrepend.map((path) => expandHome(path, home)),
  };
}

/** `sandboxProblem`: why the sandbox of commands cannot be created. */
export function offerOf(
  terms: Pick<NodeTerms, 'exec' | 'sandbox' | 'files' | 'workspace' | 'confirmed'>,
  sandboxProblem?: string,
): NodeOffer {
  const { exec, sandbox, files, workspace, confirmed } = terms;
  return {
    exec,
    files,
    pty: true,
    workspace,
    ...(confirmed ? {} : { unconfirmed: true as const }),
    ...(sandbox ? { sandbox: true as const } : {}),
    ...(sandbox && sandboxProblem !== undefined ? { sandboxUnavailable: true as const } : {}),
  };
}

/** The gateway refuses names with control characters, and shows no hidden ones. */
function shownName(name: string): string {
  return shortened(replaceHidden(name, () => '')) || 'node';
}

export function noGateway(): Fault {
  return new Fault('NODE_NO_GATEWAY', 'this node has no gateway to connect to', {
    hint: 'pincer node pair --gateway wss://host:port, or --invitation with what pincer nodes invite prints',
  });
}
