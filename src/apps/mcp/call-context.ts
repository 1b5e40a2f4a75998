import type { RequestStateCodec, Server, ServerContext } from '@modelcontextprotocol/server';
import type { Toolbox } from '../assemble.ts';
import type { CallLimits } from './limits.ts';
import type { ClientIdentity, McpOptions, Serving } from './options.ts';
import type { Progress } from './progress.ts';
import type { StartedSessions } from './sessions.ts';
import type { AskedState } from './state.ts';

/** Shared by all calls of one server. */
export interface Calls {
  readonly server: Server;
  readonly serving: Serving;
  readonly options: McpOptions;
  readonly codec: RequestStateCodec<AskedState>;
  readonly sessions: StartedSessions;
  readonly limits: CallLimits;
  /** Approvals that were answered through these servers: only the first answer counts. */
  readonly answered: Set<string>;
}

export interface Call extends Calls {
  readonly request: ServerContext;
  readonly client: ClientIdentity;
  readonly toolbox: Toolbox;
  /** The canonical name. */
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** How long the call waits for the command; undefined for the default. */
  readonly yieldMs: number | undefined;
  readonly signal: AbortSignal;
  readonly progress: Progress | undefined;
}
