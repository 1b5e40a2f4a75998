/** `--read-only`: only tools that change nothing, and only those verbs of `path`. */
import { Fault } from '../../base/fault.ts';
import { READING_PATH_VERBS } from '../../tools/path/reading-verbs.ts';
import type { ToolInfo } from '../assemble.ts';

const READING_TOOLS: ReadonlySet<string> = new Set(['read', 'path']);
const READING_VERBS: readonly string[] = READING_PATH_VERBS;
/** Parameters of `path` for verbs that write. */
const WRITING_PARAMETERS: ReadonlySet<string> = new Set(['value', 'valueJson', 'dryRun', 'diff', 'expectHash']);

/** The read-only form of a tool; undefined if it has none. */
export function readOnlyTool(info: ToolInfo): ToolInfo | undefined {
  if (!READING_TOOLS.has(info.name)) return undefined;
  if (info.name !== 'path') return info;
  const properties = Object.entries(info.inputSchema.properties).filter(([name]) => !WRITING_PARAMETERS.has(name));
  const [verb, ...others] = properties;
  return {
    ...info,
    description:
      'Read or find one place in a Markdown, JSON(C), JSONL or YAML file by its address oc://FILE/SECTION/ITEM/FIELD. ' +
      'find takes wildcards (* **), unions {a,b} and predicates [key=value]; ls lists the addresses below one.',
    effects: 'reads',
    inputSchema: {
      ...info.inputSchema,
      properties: Object.fromEntries([[verb![0], { ...verb![1], enum: READING_VERBS }], ...others]),
    },
  };
}

/** Refuses a call that could change a file. */
export function refuseChanging(tool: string, args: Readonly<Record<string, unknown>>): void {
  const verb = args['verb'];
  if (READING_TOOLS.has(tool) && (tool !== 'path' || READING_VERBS.includes(String(verb)))) return;
  const what = tool === 'path' ? `the verb ${JSON.stringify(verb)} of path` : `the tool ${tool}`;
  throw new Fault('TOOL_NOT_OFFERED', `${what} is not offered here`, {
    hint: 'this server is read-only: use read, or path with resolve, find, ls or validate',
  });
}
