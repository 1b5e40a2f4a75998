/** `pincer node run`: the daemon of a state folder that runs commands for a gateway, judged by the rules of this machine. */
import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { Fault } from '../../base/fault.ts';
import { messageOf } from '../../base/message-of.ts';
import { execSettings } from '../../config/exec-settings.ts';
import { loadConfig } from '../../config/load/load.ts';
import { type OwnNodeSettings, ownNodeSettings } from '../../config/server-settings.ts';
import { homeFolder } from '../../config/state.ts';
import { searchPath } from '../../hosts/gateway/prepare.ts';
import { loadIdentity } from '../../hosts/identity/keys.ts';
import { DEFAULT_AGENT } from '../../wire/actor.ts';
import type { Invitation } from '../../wire/node.ts';
import { type AcquireOptions, acquireGateway } from '../serve/acquire-gateway.ts';
import { type Connection, type ConnectionOptions, type ConnectionState, connectNode } from './connection.ts';
import { createDoor, nodePlatform } from './door.ts';
import type { NodeTerms } from './guest.ts';
import { openNodeStore } from './node-store.ts';
import { removeNodeState, writeNodeState } from './state-file.ts';

export interface NodeOptions extends AcquireOptions {
  /** The settings of the command line, which win over the configuration. */
  readonly given: { readonly gateway?: string; readonly name?: string; readonly workspace?: string };
  readonly invitation?: Invitation;
  readonly hostName: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly dial: ConnectionOptions['dial'];
  readonly onState?: (state: ConnectionState, about: AboutNode) => void;
  readonly platform?: NodeJS.Platform;
  readonly firstDelayMs?: number;
}

export interface AboutNode {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  readonly workspace: string;
}

export interface RunningNode extends AboutNode {
  /** Resolves when a client stops the daemon. Rejects with a fault that only a person can solve. */
  readonly stopRequested: Promise<string>;
  /** Disconnects, ends the sessions, and releases the state folder. Resolves to whether all ended in time. */
  close(): Promise<boolean>;
}

const LONGEST_NAME = 64;

export async function runNode(options: NodeOptions): Promise<RunningNode> {
  const { given, stateDir, log, environment, platform = process.platform } = options;
  const terms = async (): Promise<NodeTerms> => {
    const { settings, pathPrepend } = await settingsOf(given);
    const path = await searchPath(environment, { pathPrepend }, 'last');
    return { exec: settings.exec, workspace: settings.workspace, environment, path, platform };
  };
  const { settings } = await settingsOf(given);
  checkWorkspace(settings.workspace);
  const name = shownName(settings.name ?? options.hostName);
  // It serves its own sessions, so it cannot use the daemon of another process.
  const acquired = await acquireGateway({ ...options, mustBeOwn: true });
  const instance = randomUUID();
  const version = options.build.version;
  let connection: Connection | undefined;
  const closers: (() => void)[] = [];
  const close = async (): Promise<boolean> => {
    const clean = await acquired.close(); // the gateway still hears how its sessions ended
    await connection?.close();
    for (const one of closers) one();
    return clean;
  };
  try {
    const identity = loadIdentity(stateDir);
    const store = await openNodeStore(stateDir, { onTrouble: (fault) => log(String(fault)) });
    closers.push(() => store.close());
    if (store.warning !== undefined) log(store.warning);
    const url = options.invitation?.url ?? settings.gateway ?? store.paired()?.url;
    if (url === undefined) throw noGateway();
    const door = createDoor({ local: await acquired.gateway(), store, terms, version, log });
    closers.unshift(() => door.close());
    closers.push(() => removeNodeState(stateDir));
    const running: AboutNode = { id: identity.id, name, url, workspace: settings.workspace };
    connection = connectNode({
      url,
      identity,
      store,
      door,
      ...(options.invitation === undefined ? {} : { invitation: options.invitation }),
      ...(options.firstDelayMs === undefined ? {} : { firstDelayMs: options.firstDelayMs }),
      hello: async () => {
        const { exec, workspace } = await terms();
        const offer = { exec, files: 'none', pty: true, workspace } as const;
        return { version, name, platform: nodePlatform(platform), offer, instance };
      },
      dial: options.dial,
      onState: (state) => {
        try {
          writeNodeState(stateDir, { ...running, connection: state, since: Date.now() });
        } catch (error) {
          log(`the state for pincer node status was not written: ${messageOf(error)}`);
        }
        options.onState?.(state, running);
      },
    });
    const failed = connection.ended.then(() => 'the connection was closed');
    return { ...running, stopRequested: Promise.race([acquired.stopRequested, failed]), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Only the user file and the environment of this process can set `node`. A file in the workspace of a gateway cannot. */
async function settingsOf({ gateway, name, workspace }: NodeOptions['given']): Promise<{
  readonly settings: OwnNodeSettings;
  readonly pathPrepend: readonly string[];
}> {
  const loaded = await loadConfig({ folder: '/', includeEnvironment: true });
  const settings = ownNodeSettings(loaded);
  return {
    settings: {
      ...settings,
      ...(gateway === undefined ? {} : { gateway }),
      ...(name === undefined ? {} : { name }),
      ...(workspace === undefined ? {} : { workspace }),
    },
    pathPrepend: execSettings(loaded, DEFAULT_AGENT, homeFolder()).pathPrepend,
  };
}

function checkWorkspace(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return;
  throw new Fault('FS_NOT_FOUND', `the workspace of the node is not a folder: ${folder}`, {
    hint: 'create it, or choose another one with --workspace or node.workspace',
  });
}

/** The gateway refuses names with control characters. */
function shownName(name: string): string {
  return name.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '').slice(0, LONGEST_NAME) || 'node';
}

function noGateway(): Fault {
  return new Fault('NODE_NO_GATEWAY', 'this node has no gateway to connect to', {
    hint: 'run pincer node run --gateway wss://host:port, or --invitation with what pincer nodes invite prints',
  });
}
