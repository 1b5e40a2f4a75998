/** What is known about a call while it is answered. */
import type { RequestStateCodec, Server, ServerContext } from '@modelcontextprotocol/server';
import type { Toolbox } from '../assemble.ts';
import type { CallLimits } from './limits.ts';
import type { ClientIdentity, McpOptions, Serving } from './options.ts';
import type { Progress } from './progress.ts';
import type { StartedSessions } from './sessions.ts';
import type { AskedState } from './state.ts';

/** What every call of one server shares. */
export interface Calls {
  readonly server: Server;
  readonly serving: Serving;
  readonly options: McpOptions;
  readonly codec: RequestStateCodec<AskedState>;
  readonly sessions: StartedSessions;
  readonly limits: CallLimits;
  /** The approvals that were answered through these servers: an answer counts once. */
  readonly answered: Set<string>;
}

/** One call, and what is known about it. */
export interface Call extends Calls {
  readonly request: ServerContext;
  readonly client: ClientIdentity;
  readonly toolbox: Toolbox;
  /** By its own name, whatever it was called. */
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** How long the call may wait for a command, where it said so. */
  readonly yieldMs: number | undefined;
  readonly signal: AbortSignal;
  readonly progress: Progress | undefined;
}
