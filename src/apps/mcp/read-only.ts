/** `--read-only`: the tools that change nothing, and of `path` the verbs that change nothing. */
import { Fault } from '../../base/fault.ts';
import type { ToolInfo } from '../assemble.ts';

const READING_TOOLS: ReadonlySet<string> = new Set(['read', 'path']);
const READING_VERBS: readonly string[] = ['resolve', 'find', 'validate'];
/** Parameters of `path` that only make sense where something is written. */
const WRITING_PARAMETERS: ReadonlySet<string> = new Set(['value', 'valueJson', 'dryRun', 'diff']);

/** The tool as it may be used; undefined for one that may not. */
export function readingOnly(info: ToolInfo): ToolInfo | undefined {
  if (!READING_TOOLS.has(info.name)) return undefined;
  if (info.name !== 'path') return info;
  const properties = Object.entries(info.inputSchema.properties).filter(([name]) => !WRITING_PARAMETERS.has(name));
  const [verb, ...others] = properties;
  return {
    ...info,
    description:
      'Read or find one spot in a Markdown, JSON(C), JSONL or YAML file by its address oc://FILE/SECTION/ITEM/FIELD. ' +
      'find takes wildcards (* **), unions {a,b} and predicates [key=value].',
    effects: 'reads',
    inputSchema: {
      ...info.inputSchema,
      properties: Object.fromEntries([[verb![0], { ...verb![1], enum: READING_VERBS }], ...others]),
    },
  };
}

/** Refuses a call that could change something. */
export function refuseChanging(tool: string, args: Readonly<Record<string, unknown>>): void {
  const verb = args['verb'];
  if (READING_TOOLS.has(tool) && (tool !== 'path' || READING_VERBS.includes(String(verb)))) return;
  const what = tool === 'path' ? `the verb ${JSON.stringify(verb)} of path` : `the tool ${tool}`;
  throw new Fault('TOOL_NOT_OFFERED', `${what} is not offered here`, {
    hint: 'this server was started with --read-only: read, and path with resolve, find or validate',
  });
}
