/** Adds the effect of `sandbox.workspaceAccess` to the answer of a file tool. */
import type { SandboxSettings } from '../../../wire/sandbox.ts';
import type { ToolResult } from '../../../wire/tool.ts';

/** Errors of a write to a folder that is mounted read-only. */
const READ_ONLY_ERRORS: ReadonlySet<unknown> = new Set(['EROFS', 'EACCES', 'EPERM']);
const READ_ONLY = 'agents may only read the workspace in their sandbox: the operator sets sandbox.workspaceAccess';

/** Adds the access mode if it is not the default, and the reason if it prevented a write. */
export function withWorkspaceAccess(
  answer: ToolResult,
  { workspaceAccess }: Pick<SandboxSettings, 'workspaceAccess'>,
): ToolResult {
  if (workspaceAccess === 'rw') return answer;
  const details = { ...answer.details, workspaceAccess };
  const { code, errno } = answer.details;
  const isRefusedWrite = answer.isError === true && code === 'FS_WRITE_FAILED' && READ_ONLY_ERRORS.has(errno);
  if (workspaceAccess !== 'ro' || !isRefusedWrite) return { ...answer, details };
  return {
    ...answer,
    content: [{ type: 'text', text: `${answer.error ?? code}\n${READ_ONLY}` }],
    details: { ...details, hint: READ_ONLY },
  };
}
