import type { Server } from '@modelcontextprotocol/server';
import type { Gateway } from '../../wire/methods.ts';
import type { Toolbox } from '../assemble.ts';
import type { PresetName } from './presets/names.ts';

/** The client's own name and version. */
export interface ClientIdentity {
  readonly name?: string;
  readonly version?: string;
}

/** The family of models whose parameter names are listed. */
export type Preset = PresetName;

export interface ServerSetting {
  /** The absolute folder of the workspace. */
  readonly workspace: string;
  readonly agent: string;
  readonly conversation?: string;
  /** Only tools that read are offered. */
  readonly readOnly?: boolean;
}

/** One server, for code that adds handlers to it. */
export interface Serving {
  readonly era: 'legacy' | 'modern';
  /** Whether the connection outlives one request, so that notifications can be sent. */
  readonly lasting: boolean;
  /** The current tools of the connected client. */
  readonly toolbox: () => Promise<Toolbox>;
}

export interface McpOptions {
  /** The tools of this client: current ones, or recently checked ones, which is cheaper. */
  readonly toolbox: (client: ClientIdentity, asOf?: 'now' | 'lately') => Promise<Toolbox>;
  /** Used for approval requests and to end sessions. Without it no person is asked in the client. */
  readonly gateway?: () => Promise<Gateway>;
  readonly setting: ServerSetting;
  /** The posture in one line, queried for each connecting client. */
  readonly posture: () => Promise<string>;
  /** The node whose files the file tools work on (default: none). */
  readonly filesNode?: () => Promise<string | undefined>;
  readonly preset?: Preset;
  /** Calls the listener when the offered tools may have changed; returns the function that unsubscribes. */
  readonly onToolsChanged?: (listener: () => void) => () => void;
  /** Registers the resource handlers on a server before it is connected; returns the function that stops its watches. */
  readonly resources?: (server: Server, serving: Serving) => () => void;
  /** What happens to background sessions when their client disconnects (default: `keep`). */
  readonly sessionsOnClose?: 'keep' | 'end';
  /** Contains the key that signs `requestState`. */
  readonly stateDir: string;
  /** Whether a person may be asked in the client (default: true). False if the client is a command of a session. */
  readonly asksInClient?: boolean;
  /** Aborted when the client has disconnected: foreground commands end, answers are still sent. */
  readonly leaving?: AbortSignal;
  /** Resolves when the client accepts output: no work starts while answers cannot be sent. */
  readonly flowing?: () => Promise<void>;
  readonly version: string;
  readonly log: (message: string) => void;
}
