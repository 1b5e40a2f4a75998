/** One sentence about what happens to file tools, from the options that the tools on offer are made with. */
import { isToolAllowed } from '../config/tool-policy.ts';
import type { Posture } from '../wire/posture.ts';
import { FILE_TOOLS } from '../wire/tool-names.ts';
import type { ToolboxOptions } from './assemble.ts';

const ACCESS = { none: 'a private workspace', ro: 'the workspace for reading', rw: 'the workspace' } as const;

/** The sentence; `sandbox` is the one that the gateway has for the caller, `unknown` where the gateway cannot say. */
export function filesText(
  { sandboxed = false, workspaceOnly = true, tools = {}, applyPatch = {} }: ToolboxOptions,
  sandbox: Posture['sandbox'] | 'unknown',
): string {
  const refused = FILE_TOOLS.filter((name) => !isToolAllowed(tools, name));
  if (refused.length === FILE_TOOLS.length) return 'file tools are refused: tools.deny or tools.allow denies them';
  const but = refused.length === 0 ? '' : `; refused: ${refused.join(', ')}`;
  if (!sandboxed) {
    const where = workspaceOnly ? 'within the workspace' : 'also outside of the workspace';
    const isWider = applyPatch.enabled === true && applyPatch.workspaceOnly === false;
    const patches = workspaceOnly && isWider ? ', apply_patch also outside of it' : '';
    return `file tools work on this machine, ${where}${patches}${but}`;
  }
  if (sandbox === 'unknown') return `file tools run only in a sandbox, which the daemon opens${but}`;
  if (sandbox === undefined) return 'file tools fail: they must run in a sandbox, and sandboxing is off in the daemon';
  if (sandbox.unavailable !== undefined)
    return `file tools fail: they must run in a sandbox (${sandbox.backend}), and ${sandbox.unavailable}`;
  return `file tools run in the sandbox (${sandbox.backend}), with ${ACCESS[sandbox.workspaceAccess]}${but}`;
}
