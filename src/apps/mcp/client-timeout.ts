/**
 * Clients time out a call after about a minute, so a waiting call answers earlier. A client that requests progress knows
 * that the call is alive, and waits longer.
 */
import type { ToolInfo } from '../assemble.ts';

/** The longest wait of a call whose client gets no progress. */
export const LONGEST_WAIT_MS = 50_000;

/** A timer with a longer delay fires immediately. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Wait parameters by tool, with aliases. */
const WAITS: ReadonlyMap<string, readonly string[]> = new Map([
  ['exec', ['yieldMs', 'yield_ms']],
  ['process', ['timeout']],
]);

type Parameters = Readonly<Record<string, unknown>>;

/** Limits the waits of a call to less than the client's timeout. */
export function capWait(tool: string, args: Parameters, hasProgress: boolean): Parameters {
  if (hasProgress) return args;
  const tooLong = WAITS.get(tool)?.filter((name) => Number(args[name]) > LONGEST_WAIT_MS) ?? [];
  return tooLong.length === 0
    ? args
    : { ...args, ...Object.fromEntries(tooLong.map((name) => [name, LONGEST_WAIT_MS])) };
}

/** Adds the limit to the description of the wait parameter. */
export function describeWaitLimit(info: ToolInfo): ToolInfo {
  const name = WAITS.get(info.name)?.[0];
  const property = name === undefined ? undefined : info.inputSchema.properties[name];
  if (name === undefined || property === undefined) return info;
  const description = `${property.description ?? ''}; at most ${LONGEST_WAIT_MS} unless the client requests progress`;
  const properties = { ...info.inputSchema.properties, [name]: { ...property, description } };
  return { ...info, inputSchema: { ...info.inputSchema, properties } };
}
