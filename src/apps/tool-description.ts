import type { Tool } from '../tools/tool.ts';
import { isFileTool } from '../wire/tool-names.ts';

/** The description for a model. It says so where paths are those of a node. */
export function toolDescription({ name, description }: Pick<Tool, 'name' | 'description'>, node?: string): string {
  if (node === undefined || !isFileTool(name)) return description;
  return `${description} Paths are of node ${node}, relative to its workspace.`;
}
