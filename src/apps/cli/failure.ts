import { Fault, faultData } from '../../base/fault.ts';
import type { Output } from '../terminal/output.ts';
import { visibleLine } from '../terminal/visible.ts';

const EXIT_BY_AREA: Readonly<Record<string, number>> = {
  OC: 2,
  USAGE: 2,
  PARAM: 2,
  TOOL: 2,
  CONFIG: 2,
  EDIT: 1,
  PATCH: 1,
  READ: 1,
  CHANGE: 1,
  POLICY: 2,
  FS: 3,
  EXEC: 3,
  APPROVAL: 3,
  GATEWAY: 3,
  LOGIN: 1,
  NODE: 3,
  SANDBOX: 3,
  SERVE: 3,
  INTERNAL: 3,
};
const EXIT_BY_CODE: Readonly<Record<string, number>> = {
  CONFIG_CHANGED: 1,
  CONFIG_UNREADABLE: 3,
  CONFIG_PLUGIN_DISABLED: 1,
  EXEC_COMMAND_EMPTY: 2,
  EXEC_COMMAND_INVALID: 2,
  EXEC_AGENT_INVALID: 2,
  EXEC_APPROVALS_INVALID: 2,
  EXEC_APPROVALS_CHANGED: 1,
  EXEC_APPROVALS_AMBIGUOUS: 1,
  EXEC_ENV_REFUSED: 1,
  EXEC_PROGRAM_NOT_FOUND: 127,
  EXEC_HOST_REFUSED: 1,
  EXEC_NODE_REFUSED: 1,
  EXEC_ELEVATED_REFUSED: 1,
  EXEC_DENIED: 1,
  EXEC_TIMEOUT: 124,
  EXEC_SESSION_UNKNOWN: 1,
  EXEC_SESSION_RUNNING: 1,
  EXEC_SESSION_ENDED: 1,
  EXEC_SESSIONS_FULL: 1,
  EXEC_INPUT_CLOSED: 1,
  EXEC_NO_TERMINAL: 1,
  APPROVAL_UNKNOWN: 1,
  APPROVAL_FROM_SESSION: 1,
  APPROVAL_REFUSED: 1,
  SANDBOX_OFF: 1,
  SANDBOX_WORKDIR_OUTSIDE: 2,
  SERVE_EXPOSED: 2,
  SERVE_NOT_RUNNING: 1,
  GATEWAY_NOT_RUNNING: 1,
  NODE_RUNNING: 1,
  NODE_UNKNOWN: 1,
  NODE_AMBIGUOUS: 1,
  NODE_CODE_REQUIRED: 1,
  NODE_NAME_REFUSED: 1,
  NODE_ALREADY_PAIRED: 1,
  UNIT_ENABLED: 1,
  UNIT_FOREIGN: 1,
  OC_EMIT_SENTINEL: 1,
  OC_REFUSED: 1,
  OC_PATH_FILE_NOT_REGULAR: 3,
  // An invalid path is a usage error; an existing file that may not be touched is a refusal.
  FS_OUTSIDE_WORKSPACE: 2,
  FS_NAME_INVALID: 2,
  FS_NAME_NUL: 2,
  FS_NAME_TOO_LONG: 2,
  FS_PROTECTED: 1,
  FS_SPECIAL_MOUNT: 1,
  FS_HARD_LINKED: 1,
  FS_EXISTS: 1,
  TOOL_ABORTED: 1,
  TOOL_TOO_LARGE: 1,
  TOOL_TIMEOUT: 1,
  TOOL_CRASHED: 1,
  PATCH_BLANK: 2,
  PATCH_SYNTAX: 2,
  PATCH_ENVIRONMENT: 2,
  QUERY_INVALID: 2,
  READ_CURSOR_INVALID: 2,
  READ_UNKNOWN_ENCODING: 2,
  READ_IS_FOLDER: 3,
  READ_IMAGE_UNAVAILABLE: 3,
  READ_MEDIA_UNAVAILABLE: 3,
  READ_PDF_UNAVAILABLE: 3,
};

/** 1 refused, 2 usage error, 3 the system failed. */
export function exitCodeOf(code: string): number {
  return EXIT_BY_CODE[code] ?? EXIT_BY_AREA[code.slice(0, code.indexOf('_'))] ?? 3;
}

/** Prints the failure to standard error, as one line of JSON or as text. Returns the exit code. */
export function reportFailure(error: unknown, json: boolean, output: Output): number {
  const fault = error instanceof Fault ? error : internalFault(error);
  const { code, message, hint } = fault;
  if (json) output.err(`${visibleLine(JSON.stringify({ error: faultData(fault) }))}\n`);
  else output.err(`${code}: ${visibleLine(message)}\n${hint === undefined ? '' : `hint: ${visibleLine(hint)}\n`}`);
  return exitCodeOf(code);
}

/** Prints a notice to standard error, unless the output is quiet. */
export function reportNotice(message: string, json: boolean, output: Output): void {
  if (output.quiet) return;
  output.err(`${visibleLine(json ? JSON.stringify({ notice: { message } }) : `pincer: ${message}`)}\n`);
}

export function internalFault(error: unknown): Fault {
  return new Fault('INTERNAL_ERROR', `unexpected ${String(error)}${throwSite(error)}`, {
    hint: 'this is a bug in pincer; please report it with the command',
  });
}

/** The first stack frame: enough for a bug report. */
function throwSite(error: unknown): string {
  const frame = /[^/\\(\s]+:\d+:\d+/.exec((error instanceof Error && error.stack?.split('\n    at ')[1]) || '')?.[0];
  return frame === undefined ? '' : ` (${frame})`;
}
