/** What a worker is asked to do: one call of a tool, or the text at one address, for the toolbox of one agent. */
import type { SecretsView } from '../../tools/secrets/secrets.ts';
import type { ToolResult } from '../../wire/tool.ts';

/** The options of a toolbox as far as they are data. */
export interface SentOptions {
  /** Absolute, as the operator spelled it. */
  readonly workspace: string;
  readonly stateDir: string;
  readonly [name: string]: unknown;
}

export interface ToolTask {
  readonly options: SentOptions;
  /** The folder that the sender has pinned, by `Files.workspaceId`. */
  readonly workspaceId: string;
  readonly umask: number;
  readonly work: CallWork | RawTextWork;
}

export interface CallWork {
  readonly type: 'call';
  readonly tool: string;
  readonly args: unknown;
}

/** The text of what a concrete address names. */
export interface RawTextWork {
  readonly type: 'raw-text';
  readonly address: string;
  /** Which files hide their values. */
  readonly view: SecretsView;
}

/** The answer to a call. */
export interface CallAnswer {
  readonly result: ToolResult;
  /** What `onNotice` of the sender's toolbox is to hear. */
  readonly notices: readonly string[];
}
