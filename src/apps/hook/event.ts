/** The event that a client writes to its hook: one JSON object, whose members are read one by one. */
import { isUtf8 } from 'node:buffer';
import { isAbsolute } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { shownText } from '../../policy/explain.ts';
import { ExactNumber, JsonObject, type JsonValue, readJson } from '../../text/json/value.ts';

export type Members = Readonly<Record<string, unknown>>;

/** The object in the text of an event. What two parsers may read in two ways is refused: the client acts on its own reading. */
export function readEvent(bytes: Uint8Array): Members {
  if (!isUtf8(bytes)) throw notAnEvent('it is not UTF-8');
  const read = readJson(
    Buffer.from(bytes)
      .toString()
      .replace(/^\uFEFF/u, ''),
  );
  if ('error' in read) throw notAnEvent(`it is not JSON: ${read.error.message}`);
  const value = dataOf(read.value);
  if (!isMembers(value)) throw notAnEvent('it is not an object');
  return value;
}

function dataOf(value: JsonValue): unknown {
  if (Array.isArray(value)) return value.map(dataOf);
  if (value instanceof ExactNumber) return Number(value.text);
  if (!(value instanceof JsonObject)) return value;
  const members = new Map(value.entries.map(([name, member]) => [name, dataOf(member)]));
  if (members.size < value.entries.length) throw notAnEvent('an object has two members of one name');
  return Object.fromEntries(members);
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

/** Refuses every event but this one: a client that renames it must not go on without an answer. */
export function checkEvent(members: Members, name: string): void {
  const given = textMember(members, 'hook_event_name');
  if (given !== name) throw notAnEvent(`hook_event_name is ${shownText(JSON.stringify(given))}, and not ${name}`);
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
