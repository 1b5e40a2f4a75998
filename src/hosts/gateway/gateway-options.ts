/** What a gateway is created with, and what its process can do with it. */
import type { ExecContext } from '../../wire/exec.ts';
import type { Gateway } from '../../wire/methods.ts';
import type { ExecSettings } from '../../wire/settings.ts';
import type { NodeWaits } from '../nodes/dispatch.ts';
import type { NatsSettings } from '../nodes/fleet/nats-gateway.ts';
import type { SharedRequestWaits } from '../nodes/fleet/shared-requests.ts';
import type { NodeListenOptions } from '../nodes/listener.ts';
import type { Nodes } from '../nodes/shape.ts';
import type { LauncherOptions } from '../process/launcher.ts';
import type { SandboxTechnology } from './sandbox-host.ts';

export interface GatewayOptions {
  readonly stateDir: string;
  /** A private folder with a short path, for sockets. */
  readonly runtimeDir: string;
  readonly runner: string;
  readonly startWithin: LauncherOptions['startWithin'];
  readonly socket: string;
  readonly version: string;
  /** The operator's settings for an agent in a folder; read again for every request. */
  settingsFor(folder: string, agent: string, restrictions?: ExecContext['restrictions']): Promise<ExecSettings>;
  readonly now?: () => number;
  /** The umask of commands where the caller sets none. */
  readonly umask?: number;
  /** For `~/` in the patterns of rules. */
  readonly home?: string;
  /** Creates sandboxes; without it, requests for a sandbox fail. */
  readonly sandboxes?: SandboxTechnology;
  /** Nodes connect to this process, and not through NATS: no other gateway reports what an earlier process has sent. */
  readonly leftNats?: boolean;
  /** The paired machines (default: those of the state folder). */
  readonly nodes?: Nodes;
  /** How long requests wait for a node, for tests. */
  readonly nodeWaits?: NodeWaits & SharedRequestWaits;
  /** Log lines for the operator. */
  log?(text: string): void;
}

export interface LocalGateway extends Gateway {
  /** Whether a session runs or an approval request waits. */
  busy(): boolean;
  /** Whether closing it loses a record of changes that can be undone. */
  hasRecord(): boolean;
  /** Lets nodes connect. Returns the address, `wss://host:port`. */
  listenForNodes(options: NodeListenOptions): Promise<string>;
  /** Lets nodes connect through NATS. Resolves after the first attempt to reach a server. */
  connectNats(settings: NatsSettings): Promise<void>;
  close(): Promise<void>;
}
