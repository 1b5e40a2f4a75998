/** What a way in tells the MCP server: whose tools, through what, and what to say about them. */
import type { Server } from '@modelcontextprotocol/server';
import type { Gateway } from '../../wire/methods.ts';
import type { Toolbox } from '../assemble.ts';
import type { PresetName } from './presets/names.ts';

/** The program at the other end, as it names itself. */
export interface ClientIdentity {
  readonly name?: string;
  readonly version?: string;
}

/** The family of models whose names for parameters are listed. */
export type Preset = PresetName;

/** What instructions tell a model before it calls anything. */
export interface ServerSetting {
  /** The absolute folder of the workspace. */
  readonly workspace: string;
  readonly agent: string;
  readonly conversation?: string;
  /** Only tools that read are offered. */
  readonly readOnly?: boolean;
}

/** One server as those who add to it see it. */
export interface Serving {
  readonly era: 'legacy' | 'modern';
  /** Whether the connection outlives one request: then there is somebody to send notices to. */
  readonly lasting: boolean;
  /** The tools that hold now for whoever is at the other end. */
  readonly toolbox: () => Promise<Toolbox>;
}

export interface McpOptions {
  /** The tools for this client as they hold now, or as they held a moment ago, which costs less. */
  readonly toolbox: (client: ClientIdentity, asOf?: 'now' | 'lately') => Promise<Toolbox>;
  /** What questions to people and the end of sessions go through; without it every question goes to the inbox. */
  readonly gateway?: () => Promise<Gateway>;
  readonly setting: ServerSetting;
  /** What happens to commands and files now, in one line; asked for each client that connects. */
  readonly posture: () => Promise<string>;
  readonly preset?: Preset;
  /** Tells when the tools on offer may have changed; gives what ends the telling. */
  readonly onToolsChanged?: (listener: () => void) => () => void;
  /** Registers the handlers of resources on a server that is not connected yet; gives what ends its watching. */
  readonly resources?: (server: Server, serving: Serving) => () => void;
  /** What becomes of sessions in the background when the client that started them leaves (default: `keep`). */
  readonly sessionsOnClose?: 'keep' | 'end';
  /** Where the key stands that signs what a client carries between a question and its answer. */
  readonly stateDir: string;
  /** Whether people may be asked in the client (default: true). False where a command of a session speaks. */
  readonly asksInClient?: boolean;
  /** Aborted when the client has left: commands in the foreground are ended, answers are still given. */
  readonly leaving?: AbortSignal;
  /** Resolves when the client takes answers: no work is begun whose answer nobody would read. */
  readonly flowing?: () => Promise<void>;
  readonly version: string;
  /** Hears what is worth a line in a log. */
  readonly log: (message: string) => void;
}
