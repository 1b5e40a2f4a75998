/** The names of the tools: what each is called, and what else it answers to. */

/** Other names, by the tool's own. */
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

/**
 * The tools that work on files, with the record of what they changed: where an agent is kept in a sandbox they run there, since
 * that is where its files are. What runs commands is sent to its host by the gateway.
 */
export const FILE_TOOLS: readonly ToolName[] = ['read', 'write', 'edit', 'apply_patch', 'path', 'changes'];

/** Whether a tool, by its own name, works on files. */
export function isFileTool(name: string): boolean {
  return FILE_TOOLS.some((one) => one === name);
}

/** A tool's own name, by any of its names; undefined where no tool is called that. */
export function toolNamed(name: string): ToolName | undefined {
  return (Object.keys(TOOL_NAMES) as ToolName[]).find(
    (own) => own === name || (TOOL_NAMES[own] as readonly string[]).includes(name),
  );
}
