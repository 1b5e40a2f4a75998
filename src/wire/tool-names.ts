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

/** A tool's own name, by any of its names; undefined where no tool is called that. */
export function toolNamed(name: string): ToolName | undefined {
  return (Object.keys(TOOL_NAMES) as ToolName[]).find(
    (own) => own === name || (TOOL_NAMES[own] as readonly string[]).includes(name),
  );
}
