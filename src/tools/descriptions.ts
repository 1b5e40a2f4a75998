/** Sentences that the descriptions of the tools share with the presets of the MCP server. */
export const REPLACES_TEXT =
  'Replace text in a file. oldText must occur exactly once (or set replaceAll); all other bytes stay unchanged.';

export const SEVERAL_EDITS =
  'Put several edits of one file into edits: all refer to the original content, apply all or none, and must not overlap.';

export const RUNS_COMMAND = 'Run a shell command in the workspace.';

export const USE_PROCESS = 'use the tool process with its sessionId to poll, read the log, send input or kill it.';
