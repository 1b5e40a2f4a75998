/** The answer to `tools/list`, in a fixed order, with annotations. */
import type { Tool, ToolAnnotations } from '@modelcontextprotocol/server';
import type { Toolbox, ToolInfo } from '../assemble.ts';
import { describeWaitLimit } from './client-timeout.ts';
import type { McpOptions } from './options.ts';
import { presentTool } from './presets/present.ts';
import { readOnlyTool } from './read-only.ts';

const TITLES: Readonly<Record<string, string>> = {
  read: 'Read file',
  write: 'Write file',
  edit: 'Edit file',
  apply_patch: 'Apply patch',
  exec: 'Run shell command',
  process: 'Manage background commands',
  path: 'Read or change one place in a document',
  changes: 'List, undo and redo changes',
};

/** To write the same content again has no effect; other tools that write may have one. */
const IDEMPOTENT: ReadonlySet<string> = new Set(['read', 'write']);

export async function listTools(
  toolbox: Toolbox,
  { setting, preset }: Pick<McpOptions, 'setting' | 'preset'>,
): Promise<Tool[]> {
  const infos = await toolbox.tools();
  const offered = setting.readOnly === true ? infos.flatMap((info) => readOnlyTool(info) ?? []) : infos;
  return offered.map((info) => {
    const { name, description, inputSchema, effects } = presentTool(describeWaitLimit(info), preset);
    return {
      name,
      title: TITLES[info.name] ?? name,
      description,
      inputSchema: inputSchema as unknown as Tool['inputSchema'],
      annotations: annotationsOf(info.name, effects),
    };
  });
}

/** Commands and their input can have any effect. */
function annotationsOf(name: string, effects: ToolInfo['effects']): ToolAnnotations {
  const reads = effects === 'reads';
  return {
    title: TITLES[name] ?? name,
    readOnlyHint: reads,
    destructiveHint: !reads,
    idempotentHint: reads || IDEMPOTENT.has(name),
    openWorldHint: effects === 'runs',
  };
}
