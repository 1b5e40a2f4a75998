/** All tools by name, each loaded on demand: a `read` loads neither the patch grammar nor the image code. */
import type { Tool } from '../tools/tool.ts';
import { TOOL_NAMES, type ToolName } from '../wire/tool-names.ts';
import { once } from './once.ts';

export interface CatalogueEntry {
  readonly name: string;
  readonly alsoCalled: readonly string[];
  readonly load: () => Promise<Tool>;
}

export const CATALOGUE: readonly CatalogueEntry[] = [
  tool('read', async () => (await import('../tools/read.ts')).readTool),
  tool('write', async () => (await import('../tools/write.ts')).writeTool),
  tool('edit', async () => (await import('../tools/edit.ts')).editTool),
  tool('apply_patch', async () => (await import('../tools/apply-patch.ts')).applyPatchTool),
  tool('exec', async () => (await import('../tools/exec.ts')).execTool),
  tool('process', async () => (await import('../tools/process.ts')).processTool),
  tool('path', async () => (await import('../tools/path.ts')).pathTool),
  tool('changes', async () => (await import('../tools/changes.ts')).changesTool),
];

function tool(name: ToolName, load: () => Promise<Tool>): CatalogueEntry {
  return { name, alsoCalled: TOOL_NAMES[name], load: once(load) };
}
