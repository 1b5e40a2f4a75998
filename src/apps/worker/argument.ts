/** The one argument that makes the program a worker. It is no command: only Pincer itself starts one. */
export const WORKER_ARGUMENT = '--tool-worker';
