/** The commands of Anthropic's text editor (`text_editor_20250728`), implemented with `read`, `write` and `edit`. */
import { Fault } from '../../../base/fault.ts';
import { faultResult } from '../../../tools/call.ts';
import type { ToolResult } from '../../../wire/tool.ts';
import { resultText } from '../../library/agent-tool.ts';
import type { AgentToolbox, AgentToolCall } from '../../library/agent-toolbox.ts';

type Params = Readonly<Record<string, unknown>>;

/** An insertion quotes this many lines before and after its position, so that the match is unique. */
const CONTEXT_LINES = 25;

export async function editorCalls(
  agentTools: AgentToolbox,
  args: Params,
  options: AgentToolCall,
  maxCharacters: number | undefined,
): Promise<ToolResult> {
  const call = (name: string, params: Params) => agentTools.call(name, params, options);
  const { command, path } = args;
  switch (command) {
    case 'view':
      return view(call, args, maxCharacters);
    case 'create':
      return call('write', { path, content: args['file_text'] });
    case 'str_replace':
      return call('edit', { path, oldText: args['old_str'], newText: args['new_str'] ?? '' });
    case 'insert':
      return insert(call, args);
    default:
      return wrong(
        `command must be one of view, create, str_replace, insert, not ${JSON.stringify(command)}`,
        'command',
      );
  }
}

type Call = (name: string, params: Params) => Promise<ToolResult>;

async function view(call: Call, { path, view_range: range }: Params, limit: number | undefined): Promise<ToolResult> {
  const lines = linesOf(range);
  if (lines === undefined)
    return wrong('view_range must be two line numbers; the second may be -1 for the end', 'view_range');
  const result = await call('read', { path, lineNumbers: true, ...lines });
  const { code, entries } = result.details;
  // The command `view` lists folders too.
  if (code === 'READ_IS_FOLDER' && Array.isArray(entries))
    return { content: [{ type: 'text', text: entries.join('\n') }], details: { path, entries } };
  const text = resultText(result);
  if (limit === undefined || text.length <= limit || result.isError === true) return result;
  const note = `[Showing the first ${limit} of ${text.length} characters. Use view_range for the rest.]`;
  return { ...result, content: [{ type: 'text', text: `${text.slice(0, limit)}\n${note}` }] };
}

/** The parameters of `read` for a range; undefined if the range is invalid. */
function linesOf(range: unknown): { offset?: number; limit?: number } | undefined {
  if (range === undefined || range === null) return {};
  if (!Array.isArray(range) || range.length !== 2 || !range.every(Number.isSafeInteger)) return undefined;
  const [from, to] = range as [number, number];
  if (from < 1 || (to !== -1 && to < from)) return undefined;
  return to === -1 ? { offset: from } : { offset: from, limit: to - from + 1 };
}

/** Inserts text after a line, 0 for the beginning. It edits the surrounding lines, so that all other bytes stay. */
async function insert(call: Call, { path, insert_line: after, insert_text: text }: Params): Promise<ToolResult> {
  if (typeof text !== 'string') return wrong('insert_text must be a string', 'insert_text');
  if (!Number.isSafeInteger(after) || (after as number) < 0)
    return wrong('insert_line must be a line number, 0 for the beginning', 'insert_line');
  const line = after as number;
  const offset = Math.max(line - CONTEXT_LINES, 0) + 1;
  const result = await call('read', { path, offset, limit: 2 * CONTEXT_LINES });
  const { totalLines, lines, hash } = result.details;
  if (result.isError === true) return result;
  if (totalLines === 0 && line === 0) return call('write', { path, content: text, expectHash: hash });
  const shown = lines as { readonly from: number; readonly to: number } | undefined;
  if (shown === undefined || line > shown.to)
    return wrong(`${String(path)} has ${String(totalLines)} lines`, 'insert_line');
  const around = resultText(result)
    .split('\n')
    .slice(0, shown.to - shown.from + 1);
  const at = line - shown.from + 1;
  const added = text.endsWith('\n') ? text.slice(0, -1) : text;
  const changed = [...around.slice(0, at), added, ...around.slice(at)];
  return call('edit', { path, oldText: around.join('\n'), newText: changed.join('\n') });
}

function wrong(message: string, parameter: string): ToolResult {
  return faultResult(new Fault('PARAM_INVALID', `str_replace_based_edit_tool: ${message}`, { details: { parameter } }));
}
