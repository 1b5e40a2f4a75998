/** A question of a client, as it is given to the process that decides. */

export interface HookTask {
  /** One of `HOOK_CLIENTS`. */
  readonly client: string;
  /** The text of the event. */
  readonly event: string;
  readonly agent: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly hasTerminal: boolean;
}

/** The one argument that makes the program the process that decides for a hook. */
export const HOOK_WORKER_ARGUMENT = '--hook-worker';
