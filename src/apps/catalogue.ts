/** The tools by name, each loaded at the moment of need: reading a text loads neither the patch grammar nor pictures. */
import type { Tool } from '../tools/tool.ts';

export interface CatalogueEntry {
  readonly name: string;
  readonly alsoCalled: readonly string[];
  load(): Promise<Tool>;
}

/** Every tool that there is; what an agent is offered of them, the assembly decides. */
export const CATALOGUE: readonly CatalogueEntry[] = [
  {
    name: 'read',
    alsoCalled: ['host_workspace_read'],
    load: async () => (await import('../tools/read.ts')).readTool,
  },
  {
    name: 'write',
    alsoCalled: ['host_workspace_write'],
    load: async () => (await import('../tools/write.ts')).writeTool,
  },
  {
    name: 'edit',
    alsoCalled: ['host_workspace_edit'],
    load: async () => (await import('../tools/edit.ts')).editTool,
  },
  {
    name: 'apply_patch',
    alsoCalled: [],
    load: async () => (await import('../tools/apply-patch.ts')).applyPatchTool,
  },
  { name: 'exec', alsoCalled: [], load: async () => (await import('../tools/exec.ts')).execTool },
  { name: 'process', alsoCalled: [], load: async () => (await import('../tools/process.ts')).processTool },
  { name: 'path', alsoCalled: [], load: async () => (await import('../tools/path.ts')).pathTool },
  { name: 'changes', alsoCalled: [], load: async () => (await import('../tools/changes.ts')).changesTool },
];
