/** The messages between a process and its workers, over the IPC channel of a child process. */

/** A task with the pid of its sender, or an abort of the current task. */
export type ToWorker =
  | { readonly type: 'task'; readonly task: unknown; readonly parent: number }
  | { readonly type: 'abort' };

/** A worker reports that it is writing, so that it is not killed, and sends one answer per task. */
export type FromWorker = { readonly type: 'writing' } | TaskAnswer;

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
