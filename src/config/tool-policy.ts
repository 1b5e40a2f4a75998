/** Which tools an agent may use. */
import { toolNamed } from '../wire/tool-names.ts';

export interface ToolPolicy {
  /** Default: all tools; `*` means all. */
  readonly allow?: readonly string[];
  /** Overrides `allow`. */
  readonly deny?: readonly string[];
}

/** Accepts the aliases of tools in both lists. An agent that may run commands may also patch files. */
export function isToolAllowed({ allow, deny = [] }: ToolPolicy, tool: string): boolean {
  const own = toolNamed(tool) ?? tool;
  if (includesTool(deny, own) || includesTool(deny, '*')) return false;
  if (allow === undefined || includesTool(allow, '*') || includesTool(allow, own)) return true;
  return own === 'apply_patch' && includesTool(allow, 'exec');
}

function includesTool(list: readonly string[], own: string): boolean {
  return list.some((name) => name === own || toolNamed(name) === own);
}
