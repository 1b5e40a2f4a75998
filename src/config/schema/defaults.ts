/** The defaults of settings, for the schema and for `exec-settings.ts`. */

/** Programs that only filter stdin and run without an allowlist entry. */
export const DEFAULT_SAFE_BINS: readonly string[] = ['cut', 'uniq', 'head', 'tail', 'tr', 'wc'];

export const EXEC_DEFAULTS = {
  strictInlineEval: false,
  starter: 'none',
  compound: 'ask',
  unprofiled: 'screen',
  onMiss: 'ask',
  backgroundMs: 10_000,
  timeoutSec: 1_800,
  cleanupMs: 1_800_000,
  maxLogBytes: 2 ** 30,
  notifyOnExit: true,
  notifyOnExitEmptySuccess: false,
  approvalRunningNoticeMs: 10_000,
} as const;

export const APPROVAL_DEFAULTS = { headless: false, timeoutMs: 1_800_000, maxOpen: 5, maxNew: 20 } as const;

export const SANDBOX_DEFAULTS = {
  mode: 'off',
  backend: 'bubblewrap',
  scope: 'agent',
  workspaceAccess: 'rw',
  onObeyed: 'alert',
  pids: 2048,
  fileSize: '4g',
  tmpSize: '256m',
  idleHours: 24,
} as const;

export const MCP_DEFAULTS = { sessionsOnClose: 'keep' } as const;

export const NODE_DEFAULTS = { exec: 'judged', sandbox: false, answers: 'once' } as const;

export const SERVE_DEFAULTS = { host: '127.0.0.1', port: 7462 } as const;
