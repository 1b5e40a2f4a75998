/** Packs the result of a tool that leaves the sandbox or the node. */
import { LONGEST_VALUE } from '../../hosts/channel/frames.ts';
import { isWithinBounds, LENGTH_BYTES } from '../../hosts/channel/packed.ts';
import { MOST_TEXT, textLength } from '../../wire/runner.ts';
import type { Content, ToolResult } from '../../wire/tool.ts';

/** Texts of up to this many characters are in the head. */
const SHORT = 1024;
/** A lone surrogate, which UTF-8 cannot encode. */
const HALF = /\p{Surrogate}/u;

interface Body {
  readonly text: string;
  readonly encoding: 'utf8' | 'base64';
  readonly bytes: number;
}

/** Replaces a result that exceeds the gateway's bounds by an error. */
export function packAnswer(answer: ToolResult): Buffer {
  const packed = pack(answer);
  const head = packed.subarray(LENGTH_BYTES, LENGTH_BYTES + packed.readUInt32LE());
  const isShort = packed.length < LONGEST_VALUE && textLength(answer.content) <= MOST_TEXT;
  return isShort && isWithinBounds(head) ? packed : pack(tooLong(packed.length));
}

function pack({ content, ...rest }: ToolResult): Buffer {
  const bodies = content.map(bodyOf);
  const shown = content.map((part, i) => {
    const bytes = bodies[i]?.bytes;
    if (bytes === undefined) return part;
    return part.type === 'text' ? { type: part.type, bytes } : { type: part.type, mimeType: part.mimeType, bytes };
  });
  const head = JSON.stringify({ ...rest, content: shown });
  const headBytes = Buffer.byteLength(head);
  const length = bodies.reduce((sum, body) => sum + (body?.bytes ?? 0), LENGTH_BYTES + headBytes);
  const packed = Buffer.allocUnsafe(length);
  packed.writeUInt32LE(headBytes);
  let at = LENGTH_BYTES + packed.write(head, LENGTH_BYTES);
  for (const body of bodies) if (body !== undefined) at += packed.write(body.text, at, body.encoding);
  return packed;
}

function bodyOf(part: Content): Body | undefined {
  if (part.type === 'image')
    return { text: part.data, encoding: 'base64', bytes: Buffer.byteLength(part.data, 'base64') };
  const { text } = part;
  if (text.length <= SHORT || HALF.test(text)) return undefined;
  return { text, encoding: 'utf8', bytes: Buffer.byteLength(text) };
}

export function tooLong(bytes: number): ToolResult {
  const message = `the result has ${bytes} bytes, or too many parts, or too much text for one call`;
  const details = { code: 'TOOL_TOO_LARGE', hint: 'request less per call' };
  return { content: [{ type: 'text', text: message }], details, isError: true, error: message };
}
