/**
 * Clients give up on a call after about a minute. A call that waits answers before that, unless the client asks for progress:
 * then it knows that the call is alive, and waits with it.
 */
import type { ToolInfo } from '../assemble.ts';

/** The longest wait of a call whose client hears no progress. */
export const LONGEST_WAIT_MS = 50_000;

/** The longest wait of any: a timer of the machine that is set further ends at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** What of a tool's parameters is a time to wait, by its names. */
const WAITS: ReadonlyMap<string, readonly string[]> = new Map([
  ['exec', ['yieldMs', 'yield_ms']],
  ['process', ['timeout']],
]);

type Parameters = Readonly<Record<string, unknown>>;

/** The parameters of a call with no wait longer than the client has patience. */
export function withinPatience(tool: string, args: Parameters, hearsProgress: boolean): Parameters {
  if (hearsProgress) return args;
  const tooLong = WAITS.get(tool)?.filter((name) => Number(args[name]) > LONGEST_WAIT_MS) ?? [];
  return tooLong.length === 0
    ? args
    : { ...args, ...Object.fromEntries(tooLong.map((name) => [name, LONGEST_WAIT_MS])) };
}

/** The tool with what it does about waiting said where a model reads it. */
export function sayingPatience(info: ToolInfo): ToolInfo {
  const name = WAITS.get(info.name)?.[0];
  const property = name === undefined ? undefined : info.inputSchema.properties[name];
  if (name === undefined || property === undefined) return info;
  const description = `${property.description ?? ''}; at most ${LONGEST_WAIT_MS} unless the client asks for progress`;
  const properties = { ...info.inputSchema.properties, [name]: { ...property, description } };
  return { ...info, inputSchema: { ...info.inputSchema, properties } };
}
