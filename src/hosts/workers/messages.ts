/** What a process and its workers say to each other, over the channel that Node makes for a child process. */

/** A task with the process id of who sent it, or the end of the task under way. */
export type ToWorker =
  | { readonly type: 'task'; readonly task: unknown; readonly parent: number }
  | { readonly type: 'abort' };

/** What a worker says: that it writes now and should not be ended, and the one answer to its task. */
export type FromWorker = { readonly type: 'writing' } | TaskAnswer;

/** The answer to a task. */
export type TaskAnswer = Answer & {
  /** The resident memory after the work, in bytes. */
  readonly residentBytes: number;
};

export type Answer =
  | { readonly type: 'done'; readonly value: unknown }
  | {
      readonly type: 'fault';
      readonly code: string;
      readonly message: string;
      readonly hint?: string;
      readonly details?: Readonly<Record<string, unknown>>;
    }
  | { readonly type: 'defect'; readonly message: string };
