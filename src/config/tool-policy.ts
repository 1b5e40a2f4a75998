/** Which tools an agent may have. */
import { toolNamed } from '../wire/tool-names.ts';

export interface ToolPolicy {
  /** Without the list every tool; `*` stands for all. */
  readonly allow?: readonly string[];
  /** Wins over `allow`. */
  readonly deny?: readonly string[];
}

/** Whether the operator lets an agent have a tool, by whatever name the lists call it; whoever may run commands may also patch files. */
export function isToolAllowed({ allow, deny = [] }: ToolPolicy, tool: string): boolean {
  const own = toolNamed(tool) ?? tool;
  if (names(deny, own) || names(deny, '*')) return false;
  if (allow === undefined || names(allow, '*') || names(allow, own)) return true;
  return own === 'apply_patch' && names(allow, 'exec');
}

function names(list: readonly string[], own: string): boolean {
  return list.some((name) => name === own || toolNamed(name) === own);
}
