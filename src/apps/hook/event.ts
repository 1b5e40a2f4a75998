/** Parses the event that a client sends to its hook: one JSON object. */
import { isUtf8 } from 'node:buffer';
import { isAbsolute } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { shownText } from '../../policy/explain.ts';
import { ExactNumber, JsonObject, type JsonValue, readJson } from '../../text/json/value.ts';

export type Members = Readonly<Record<string, unknown>>;

/** Refuses JSON that parsers interpret differently, because the client acts on its own interpretation. */
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
  if (members.size < value.entries.length) throw notAnEvent('an object has duplicate members');
  return Object.fromEntries(members);
}

export function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function textMember(members: Members, name: string, where = name): string {
  const value = members[name];
  if (typeof value !== 'string') throw notAnEvent(`${where} is not a string`);
  return value;
}

/** Refuses all other events: if a client renames the event, its calls must not pass without an answer. */
export function checkEvent(members: Members, name: string): void {
  const given = textMember(members, 'hook_event_name');
  if (given !== name) throw notAnEvent(`hook_event_name is ${shownText(JSON.stringify(given))}, not ${name}`);
}

export function folderMember(members: Members, name: string): string {
  const folder = textMember(members, name);
  if (!isAbsolute(folder)) throw notAnEvent(`${name} is not an absolute path`);
  return folder;
}

export function notAnEvent(what: string): Fault {
  return new Fault('USAGE_HOOK_INPUT', `stdin is not a hook event: ${what}`, {
    hint: 'the tool call is blocked; the client must send the JSON of one event',
  });
}
