/** The tools with their aliases. */
export const TOOL_NAMES = {
  read: ['host_workspace_read', 'sandboxed_read'],
  write: ['host_workspace_write', 'sandboxed_write'],
  edit: ['host_workspace_edit', 'sandboxed_edit'],
  apply_patch: [],
  exec: [],
  process: [],
  path: [],
  changes: [],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type ToolName = keyof typeof TOOL_NAMES;

/** The tools that run inside an agent's sandbox, because its files are there. The gateway sends commands to their host. */
export const FILE_TOOLS: readonly ToolName[] = ['read', 'write', 'edit', 'apply_patch', 'path', 'changes'];

/** Does not accept aliases. */
export function isFileTool(name: string): boolean {
  return FILE_TOOLS.some((one) => one === name);
}

/** Resolves an alias; undefined for an unknown tool. */
export function toolNamed(name: string): ToolName | undefined {
  return (Object.keys(TOOL_NAMES) as ToolName[]).find(
    (own) => own === name || (TOOL_NAMES[own] as readonly string[]).includes(name),
  );
}
