/**
 * `pincer call --batch`: one call per line in, one result per line out, in the same order. Results are buffered while more
 * calls are already read, and flushed before the program waits for input. While it waits, no file or folder is open.
 */
import { isUtf8 } from 'node:buffer';
import { Fault } from '../../../base/fault.ts';
import { closeCachedDescriptors } from '../../../hosts/files/cache/descriptor-cache.ts';
import { JsonObject, readJson, writeJson } from '../../../text/json/value.ts';
import type { ToolResult } from '../../../wire/tool.ts';
import type { Toolbox } from '../../assemble.ts';
import { inputLines } from '../input.ts';
import type { Output } from '../../terminal/output.ts';
import { readCall, readJsonText } from './read-call.ts';
import { resultOrFault } from './result-or-fault.ts';

const LONGEST_LINE = 64 << 20;
const PIECE = 1 << 16;

export async function answerBatch(toolbox: Toolbox, output: Output): Promise<number> {
  let buffered = '';
  for (const { bytes, more } of inputLines(LONGEST_LINE)) {
    if (!isBlank(bytes)) buffered += await answer(toolbox, bytes);
    // Before the result is sent: the caller may then unmount or remove the folder.
    if (!more) closeCachedDescriptors();
    if (buffered !== '' && (!more || buffered.length > PIECE)) {
      output.out(buffered);
      buffered = '';
    }
  }
  return 0;
}

/** Every call gets a result line, whatever happens, and the batch continues. */
async function answer(toolbox: Toolbox, line: Buffer | undefined): Promise<string> {
  let id = 'null';
  const result = await resultOrFault(async () => {
    const value = readLine(line);
    id = idText(value, line!);
    const { tool, args } = readCall(value, 'id');
    return toolbox.call(tool, args);
  });
  return resultLine(id, result) ?? resultLine(id, await resultOrFault(() => Promise.reject(tooLarge())))!;
}

/** Undefined if the result exceeds the longest string. */
function resultLine(id: string, result: ToolResult): string | undefined {
  try {
    return `{"id":${id},${JSON.stringify(result).slice(1)}\n`;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function tooLarge(): Fault {
  return new Fault('TOOL_RESULT_TOO_LARGE', 'the result is too large for a JSON line', {
    hint: 'request less, for example with limit',
  });
}

function isBlank(line: Buffer | undefined): boolean {
  return line !== undefined && line.every((byte) => byte === 32 || byte === 9 || byte === 13);
}

function readLine(line: Buffer | undefined): unknown {
  if (line === undefined)
    throw new Fault('USAGE_LINE_TOO_LONG', `a line of the batch is longer than ${LONGEST_LINE >> 20} MB`, {
      hint: 'write a large file in parts, or from a file with pincer write FILE < CONTENT',
    });
  // Decoding invalid UTF-8 would silently replace characters.
  if (!isUtf8(line))
    throw new Fault('USAGE_JSON', 'the line is not UTF-8 text', {
      hint: 'JSON is UTF-8; write other bytes with "encoding": "base64"',
    });
  return readJsonText(line.toString().replace(/^\ufeff/u, ''), 'the line', 'write one JSON object on each line');
}

/** The id as JSON. A number that a double cannot represent keeps its spelling. */
function idText(call: unknown, line: Buffer): string {
  const id: unknown = typeof call === 'object' && call !== null && 'id' in call ? call.id : null;
  if (typeof id === 'number' && !Number.isSafeInteger(id)) return exactId(line.toString());
  if (typeof id !== 'object') return JSON.stringify(id);
  if (id === null) return 'null';
  throw new Fault('USAGE_CALL', 'the id of a call must be a string or a number', {
    hint: 'write {"id": "1", "tool": …, "args": {…}}',
  });
}

function exactId(line: string): string {
  const read = readJson(line.replace(/^\ufeff/u, ''));
  const members = 'value' in read && read.value instanceof JsonObject ? read.value.entries : [];
  return writeJson(members.findLast(([name]) => name === 'id')?.[1] ?? null, { indent: '' });
}
