/** Which tools an agent may have. */

export interface ToolPolicy {
  /** Without the list every tool; `*` stands for all. */
  readonly allow?: readonly string[];
  /** Wins over `allow`. */
  readonly deny?: readonly string[];
}

/** Whether the operator lets an agent have a tool; whoever may run commands may also patch files. */
export function isToolAllowed({ allow, deny = [] }: ToolPolicy, tool: string): boolean {
  if (deny.includes(tool) || deny.includes('*')) return false;
  if (allow === undefined || allow.includes('*') || allow.includes(tool)) return true;
  return tool === 'apply_patch' && allow.includes('exec');
}
