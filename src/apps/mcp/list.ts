/** The list of tools as MCP tells it: our own schemas, in a fixed order, with what each tool may do to the world. */
import type { Tool, ToolAnnotations } from '@modelcontextprotocol/server';
import type { Toolbox, ToolInfo } from '../assemble.ts';
import { sayingPatience } from './clock.ts';
import type { McpOptions } from './options.ts';
import { presentTool } from './presets/present.ts';
import { readingOnly } from './read-only.ts';

const TITLES: Readonly<Record<string, string>> = {
  read: 'Read file',
  write: 'Write file',
  edit: 'Edit file',
  apply_patch: 'Apply patch',
  exec: 'Run shell command',
  process: 'Background commands',
  path: 'Read or change one spot in a document',
  changes: 'List, undo and redo changes',
};

/** Writing the same content again changes nothing more; every other tool that writes may. */
const REPEATABLE: ReadonlySet<string> = new Set(['read', 'write']);

/** The tools on offer. */
export async function listTools(
  toolbox: Toolbox,
  { setting, preset }: Pick<McpOptions, 'setting' | 'preset'>,
): Promise<Tool[]> {
  const infos = await toolbox.tools();
  const offered = setting.readOnly === true ? infos.flatMap((info) => readingOnly(info) ?? []) : infos;
  return offered.map((info) => {
    const { name, description, inputSchema, effects } = presentTool(sayingPatience(info), preset);
    return {
      name,
      title: TITLES[info.name] ?? name,
      description,
      inputSchema: inputSchema as unknown as Tool['inputSchema'],
      annotations: annotationsOf(info.name, effects),
    };
  });
}

/** What a tool may do; commands and what is typed into them may reach anything. */
function annotationsOf(name: string, effects: ToolInfo['effects']): ToolAnnotations {
  const reads = effects === 'reads';
  return {
    title: TITLES[name] ?? name,
    readOnlyHint: reads,
    destructiveHint: !reads,
    idempotentHint: reads || REPEATABLE.has(name),
    openWorldHint: effects === 'runs',
  };
}
