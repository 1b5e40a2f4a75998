/** A task for a worker: one tool call, or the text at one address, for the toolbox of one agent. */
import type { SecretsView } from '../../tools/secrets/secrets.ts';
import type { ToolResult } from '../../wire/tool.ts';

/** The only argument of a worker. It is not a command: only pincer itself starts workers. */
export const WORKER_ARGUMENT = '--tool-worker';

/** The serializable options of a toolbox. */
export interface SentOptions {
  /** Absolute path, in the operator's spelling. */
  readonly workspace: string;
  readonly stateDir: string;
  readonly [name: string]: unknown;
}

export interface ToolTask {
  readonly options: SentOptions;
  /** `Files.workspaceId` of the folder that the sender has pinned. */
  readonly workspaceId: string;
  readonly umask: number;
  readonly work: CallWork | RawTextWork;
}

export interface CallWork {
  readonly type: 'call';
  readonly tool: string;
  readonly args: unknown;
}

/** The text at a concrete address. */
export interface RawTextWork {
  readonly type: 'raw-text';
  readonly address: string;
  /** Decides which files hide their values. */
  readonly view: SecretsView;
}

export interface CallAnswer {
  readonly result: ToolResult;
  /** Messages for `onNotice` of the sender's toolbox. */
  readonly notices: readonly string[];
}
