/** Where a fault belongs; the area decides the exit code unless the code says otherwise. */
export type FaultCode =
  | `USAGE_${string}`
  | `OC_${string}`
  | `CONFIG_${string}`
  | `PARAM_${string}`
  | `TOOL_${string}`
  | `EDIT_${string}`
  | `PATCH_${string}`
  | `READ_${string}`
  | `CHANGE_${string}`
  | `FS_${string}`
  | `EXEC_${string}`
  | `POLICY_${string}`
  | `APPROVAL_${string}`
  | `NODE_${string}`
  | `GATEWAY_${string}`
  | `SANDBOX_${string}`
  | `SERVE_${string}`
  | `INTERNAL_${string}`;

export interface FaultExtras {
  /** What the user can do next, one sentence. */
  readonly hint?: string;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/**
 * A question that could not be answered. An expected "no" is an outcome and is returned as data;
 * only what stops the question itself is thrown.
 */
export class Fault extends Error {
  readonly code: FaultCode;
  readonly hint: string | undefined;
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(code: FaultCode, message: string, extras: FaultExtras = {}) {
    super(message, extras.cause === undefined ? undefined : { cause: extras.cause });
    this.name = 'Fault';
    this.code = code;
    this.hint = extras.hint;
    this.details = extras.details;
  }
}

/** A fault as an answer in JSON shows it, without what it does not have. */
export function faultData({ code, message, hint, details }: Fault) {
  return { code, message, ...(hint === undefined ? {} : { hint }), ...(details === undefined ? {} : { details }) };
}
