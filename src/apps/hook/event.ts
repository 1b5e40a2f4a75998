/** The event that a client writes to its hook: one JSON object, whose members are read one by one. */
import { isAbsolute } from 'node:path';
import { Fault } from '../../base/fault.ts';

export type Members = Readonly<Record<string, unknown>>;

/** The object in the text of an event. */
export function readEvent(text: string): Members {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/u, ''));
  } catch (error) {
    throw notAnEvent(`it is not JSON: ${(error as Error).message}`);
  }
  if (!isMembers(value)) throw notAnEvent('it is not an object');
  return value;
}

export function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A member that must be a text. */
export function textMember(members: Members, name: string, where = name): string {
  const value = members[name];
  if (typeof value !== 'string') throw notAnEvent(`${where} is not a string`);
  return value;
}

/** The folder that the client works in. */
export function folderMember(members: Members, name: string): string {
  const folder = textMember(members, name);
  if (!isAbsolute(folder)) throw notAnEvent(`${name} is not an absolute path`);
  return folder;
}

/** A tool call that cannot be read is not allowed. */
export function notAnEvent(what: string): Fault {
  return new Fault('USAGE_HOOK_INPUT', `standard input is not a hook event: ${what}`, {
    hint: 'the tool call is blocked; the client writes the JSON of one event',
  });
}
