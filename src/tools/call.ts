/** Calls a tool: checks its parameters and turns its faults into results. */
import { partBelow } from '../base/inside.ts';
import { Fault } from '../base/fault.ts';
import type { Files } from '../hosts/files/shape.ts';
import { fileToolDetails } from '../wire/file-tool-details.ts';
import { isFileTool } from '../wire/tool-names.ts';
import { aborted, refuseAborted } from './abort.ts';
import { readParams } from './params.ts';
import type { Tool, ToolContext } from './tool.ts';
import type { ToolResult } from '../wire/tool.ts';

/** Accepts aliases of the tool. A fault becomes a result; any other error is a bug and is thrown. */
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
    const params = paramsOf(tool, input as Readonly<Record<string, unknown>>);
    context.refuse?.(tool.name, tool.effectsOf?.(params) ?? tool.effects);
    refuseAborted(context.signal);
    const result = withWarnings(await tool.run(params, context), context.files.takeWarnings?.() ?? []);
    return withListedDetails(tool, result);
  } catch (error) {
    context.files.takeWarnings?.(); // discards the warnings of a write that failed
    if (context.signal?.aborted === true && isAbort(error)) return faultResult(aborted());
    if (!(error instanceof Fault)) throw error;
    return faultResult(error, context.files);
  }
}

type Params = Readonly<Record<string, unknown>>;

function paramsOf(tool: Tool, sent: Params): Params {
  return readParams(tool.name, tool.input, tool.aliases ?? [], tool.prepare?.(sent) ?? sent);
}

/** The effects of a call by the tool's own declaration. A call that fails because of its parameters only reads. */
export function effectsOfCall(tool: Tool, input: unknown): Tool['effects'] {
  if (tool.effectsOf === undefined || typeof input !== 'object' || input === null) return tool.effects;
  try {
    return tool.effectsOf(paramsOf(tool, input as Params));
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return 'reads';
  }
}

/** Filters the details as for a sandbox, so that results have the same members on every host. */
function withListedDetails({ name }: Tool, result: ToolResult): ToolResult {
  return isFileTool(name) ? { ...result, details: fileToolDetails(result.details) } : result;
}

/** Reports changes that succeeded but cannot be undone. */
function withWarnings(result: ToolResult, added: readonly string[]): ToolResult {
  if (added.length === 0) return result;
  const { warnings } = result.details;
  return {
    ...result,
    content: [...result.content, { type: 'text', text: added.map((warning) => `[Note: ${warning}]`).join('\n') }],
    details: { ...result.details, warnings: [...(Array.isArray(warnings) ? warnings : []), ...added] },
  };
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}

/** Accepts aliases. */
export function findTool<T extends Pick<Tool, 'name' | 'alsoCalled'>>(tools: readonly T[], name: string): T {
  const found = tools.find((tool) => tool.name === name || tool.alsoCalled?.includes(name));
  if (found !== undefined) return found;
  throw new Fault('TOOL_UNKNOWN', `unknown tool ${JSON.stringify(name)}`, {
    hint: `tools: ${tools.map((tool) => tool.name).join(', ')}`,
  });
}

export function faultResult({ code, message, hint, details }: Fault, files?: Pick<Files, 'workspace'>): ToolResult {
  const text = hint === undefined ? message : `${message}\n${hint}`;
  const relative = details !== undefined && files !== undefined ? withRelativePaths(details, files) : details;
  return {
    content: [{ type: 'text', text }],
    details: { ...relative, code, ...(hint === undefined ? {} : { hint }) },
    isError: true,
    error: message,
  };
}

type Details = Readonly<Record<string, unknown>>;

/** Makes real paths relative to the workspace, as in successful results. */
function withRelativePaths(details: Details, files: Pick<Files, 'workspace'>): Details {
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
  return partBelow(path, folder, separator)?.replaceAll(separator, '/') ?? path;
}
