/** The one way to call a tool: its name, its parameters, its faults, always one result. */
import { Fault } from '../base/fault.ts';
import type { Files } from '../hosts/files/shape.ts';
import { fileToolDetails } from '../wire/file-tool-details.ts';
import { isFileTool } from '../wire/tool-names.ts';
import { aborted, refuseAborted } from './abort.ts';
import { readParams } from './params.ts';
import type { Tool, ToolContext } from './tool.ts';
import type { ToolResult } from '../wire/tool.ts';

/** Calls a tool by any of its names; a fault becomes a result, anything else that is thrown is a defect. */
export async function callTool(
  tools: readonly Tool[],
  name: string,
  input: unknown,
  context: ToolContext,
): Promise<ToolResult> {
  try {
    const tool = findTool(tools, name);
    if (typeof input !== 'object' || input === null || Array.isArray(input))
      throw new Fault('PARAM_INVALID', `${name}: the parameters must be an object`);
    const sent = input as Readonly<Record<string, unknown>>;
    const params = readParams(tool.name, tool.input, tool.aliases ?? [], tool.prepare?.(sent) ?? sent);
    refuseAborted(context.signal);
    return listed(tool, withWarnings(await tool.run(params, context), context.files.takeWarnings?.() ?? []));
  } catch (error) {
    context.files.takeWarnings?.(); // of a write that did not happen
    if (context.signal?.aborted === true && isAbort(error)) return faultResult(aborted());
    if (!(error instanceof Fault)) throw error;
    return faultResult(error, context.files);
  }
}

/** On every host the same members: what a sandbox may not answer, nobody gets used to. */
function listed({ name }: Tool, result: ToolResult): ToolResult {
  return isFileTool(name) ? { ...result, details: fileToolDetails(result.details) } : result;
}

/** A change that nobody can take back is a success, too; whoever asked for it has to know. */
function withWarnings(result: ToolResult, lost: readonly string[]): ToolResult {
  if (lost.length === 0) return result;
  const { warnings } = result.details;
  return {
    ...result,
    content: [...result.content, { type: 'text', text: lost.map((warning) => `[Note: ${warning}]`).join('\n') }],
    details: { ...result.details, warnings: [...(Array.isArray(warnings) ? warnings : []), ...lost] },
  };
}

/** What the platform throws where a signal stopped it. */
function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}

/** What `call` finds a tool by. */
type Named = Pick<Tool, 'name' | 'alsoCalled'>;

/** The tool, or whatever stands for it, with this name. */
export function findTool<T extends Named>(tools: readonly T[], name: string): T {
  const found = tools.find((tool) => tool.name === name || tool.alsoCalled?.includes(name));
  if (found !== undefined) return found;
  throw new Fault('TOOL_UNKNOWN', `there is no tool ${JSON.stringify(name)}`, {
    hint: `there are ${tools.map((tool) => tool.name).join(', ')}`,
  });
}

/** A failure as an answer: the message and what to do for the model, the code for machines. */
export function faultResult({ code, message, hint, details }: Fault, files?: Pick<Files, 'workspace'>): ToolResult {
  const text = hint === undefined ? message : `${message}\n${hint}`;
  const named = details !== undefined && files !== undefined ? namedFromWorkspace(details, files) : details;
  return {
    content: [{ type: 'text', text }],
    details: { ...named, code, ...(hint === undefined ? {} : { hint }) },
    isError: true,
    error: message,
  };
}

type Details = Readonly<Record<string, unknown>>;

/** The host names files by their real paths; an answer names them from the workspace, as that of a success does. */
function namedFromWorkspace(details: Details, files: Pick<Files, 'workspace'>): Details {
  const { path, paths } = details;
  const isReal = (name: unknown): name is string => typeof name === 'string' && /^(?:\/|[a-z]:[\\/])/iu.test(name);
  const nameOf = (name: unknown): unknown => (isReal(name) ? nameBelow(files.workspace, name) : name);
  return {
    ...details,
    ...(isReal(path) ? { path: nameOf(path) } : {}),
    ...(Array.isArray(paths) ? { paths: paths.map(nameOf) } : {}),
  };
}

function nameBelow(folder: string, path: string): string {
  if (path === folder) return '.';
  const separator = folder.startsWith('/') ? '/' : '\\';
  const start = folder.endsWith(separator) ? folder : folder + separator;
  return path.startsWith(start) ? path.slice(start.length).replaceAll(separator, '/') : path;
}
