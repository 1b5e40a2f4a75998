/** What `sandbox.workspaceAccess` has to do with the answer of a file tool, said by whoever knows it. */
import type { SandboxSettings } from '../../wire/sandbox.ts';
import type { ToolResult } from '../../wire/tool.ts';

/** What a system answers where a folder is bound for reading. */
const KEPT_FROM_WRITING: ReadonlySet<unknown> = new Set(['EROFS', 'EACCES', 'EPERM']);
const READ_ONLY = "agents may only read the workspace in their sandbox: the operator's sandbox.workspaceAccess decides";

/** The answer with the access, where that is not the usual one, and with the reason of a write that it prevented. */
export function sayingAccess(
  answer: ToolResult,
  { workspaceAccess }: Pick<SandboxSettings, 'workspaceAccess'>,
): ToolResult {
  if (workspaceAccess === 'rw') return answer;
  const details = { ...answer.details, workspaceAccess };
  const { code, errno } = answer.details;
  const isKept = answer.isError === true && code === 'FS_WRITE_FAILED' && KEPT_FROM_WRITING.has(errno);
  if (workspaceAccess !== 'ro' || !isKept) return { ...answer, details };
  return {
    ...answer,
    content: [{ type: 'text', text: `${answer.error ?? code}\n${READ_ONLY}` }],
    details: { ...details, hint: READ_ONLY },
  };
}
