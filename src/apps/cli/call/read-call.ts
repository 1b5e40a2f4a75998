/**
 * Reads one tool call from JSON, in any of the forms that models and programs write:
 *
 *   {"tool": NAME, "args": {…}}
 *   {"tool": NAME, …parameters}
 *   {"tool_call": {"name": NAME, "arguments": {…} or a string of JSON}}
 *
 * In a batch each also has an `id`, which the result repeats.
 */
import { Fault } from '../../../base/fault.ts';
import { isNestedTooDeep, MOST_NESTING } from '../../../text/json/bounds.ts';
import { readJson } from '../../../text/json/value.ts';

export interface ToolCall {
  readonly tool: string;
  readonly args: unknown;
}

type Members = Readonly<Record<string, unknown>>;

const FORMS = '{"tool": …, "args": {…}}, {"tool": …, …parameters} or {"tool_call": {"name": …, "arguments": {…}}}';

/** With `'id'`, the member `id` belongs to the call and is not a parameter. */
export function readCall(value: unknown, id: 'id' | 'no-id'): ToolCall {
  if (!isObject(value)) throw callFault('a call must be a JSON object');
  const { tool, tool_call: call, id: identity, ...rest } = value;
  if (call !== undefined) {
    refuseIgnoredMembers({ ...rest, ...(tool === undefined ? {} : { tool }) }, 'tool_call');
    return readToolCall(call);
  }
  if (typeof tool !== 'string') throw callFault('the call has no tool name');
  const parameters = id === 'no-id' && identity !== undefined ? { ...rest, id: identity } : rest;
  if (!Object.hasOwn(parameters, 'args')) return { tool, args: parameters };
  const { args, ...others } = parameters as Members;
  refuseIgnoredMembers(others, 'args');
  return { tool, args: parsedIfText(args) };
}

/** Reads the parameters of a named tool. Also accepts a whole call of the same tool, since people paste what a model wrote. */
export function readParameters(tool: string, value: unknown, isSame: (a: string, b: string) => boolean): ToolCall {
  if (!isObject(value) || (!Object.hasOwn(value, 'tool') && !Object.hasOwn(value, 'tool_call')))
    return { tool, args: value };
  const call = readCall(value, 'no-id');
  if (isSame(tool, call.tool)) return { tool, args: call.args };
  throw new Fault(
    'USAGE_CALL',
    `the command line names the tool ${tool}, but the JSON names ${JSON.stringify(call.tool)}`,
    {
      hint: `remove one of the names, as in pincer call '${JSON.stringify({ tool: call.tool })}'`,
    },
  );
}

/** `what` names the text in the message. */
export function readJsonText(text: string, what: string, hint = 'write it as one JSON value'): unknown {
  if (isNestedTooDeep(text))
    throw new Fault('USAGE_JSON', `${what} is nested deeper than ${MOST_NESTING} levels`, { hint });
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Fault('USAGE_JSON', `${what} is not JSON: ${syntaxError(text)}`, { hint, cause: error });
  }
}

/** From pincer's own parser, since the messages of JavaScript engines differ. */
function syntaxError(text: string): string {
  const read = readJson(text);
  return 'error' in read ? `${read.error.message} at character ${read.error.offset + 1}` : 'it cannot be represented';
}

function readToolCall(call: unknown): ToolCall {
  if (!isObject(call) || typeof call['name'] !== 'string') throw callFault('tool_call needs a name');
  return { tool: call['name'], args: parsedIfText(call['arguments'] ?? {}) };
}

/** Some providers send the arguments as a string. */
function parsedIfText(args: unknown): unknown {
  return typeof args === 'string' ? readJsonText(args, 'the arguments string') : args;
}

/** Extra members would be ignored; a misplaced `dryRun` would then write. */
function refuseIgnoredMembers(others: Members, beside: string): void {
  const name = Object.keys(others).find((key) => key !== 'type');
  if (name !== undefined) throw callFault(`unexpected member ${JSON.stringify(name)} next to ${beside}`);
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function callFault(message: string): Fault {
  return new Fault('USAGE_CALL', message, { hint: `write ${FORMS}` });
}
