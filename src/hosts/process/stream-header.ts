/** The streams of a launch as connections: each begins with a header that says whose it is. */
import type { Launch } from './launch.ts';

/** A stream of a session: what it prints, what it complains, what it is told. */
export type StreamName = 'out' | 'err' | 'in';

/** Where streams are connected, and the word that opens the door. */
export interface StreamServerAddress {
  readonly socket: string;
  readonly token: string;
}

/** The streams of a launch; one that wanted a terminal has the same with pipes. */
export function streamsOf({ streams, stdin, pty }: Launch): readonly StreamName[] {
  if (pty !== undefined) return ['out', 'in'];
  return ['out', ...(streams === 'apart' ? (['err'] as const) : []), ...(stdin === 'open' ? (['in'] as const) : [])];
}

const TOKEN_CHARS = 32;
const ID_CHARS = 8;

/** How many bytes stand in front of a stream. */
export const HEADER_BYTES = TOKEN_CHARS + ID_CHARS + 2;

const LETTERS: Readonly<Record<StreamName, string>> = { out: 'o', err: 'e', in: 'i' };

/** The header of a stream: who may, whose, which one. */
export function streamHeader(token: string, id: number, name: StreamName): string {
  return `${token}${id.toString(16).padStart(ID_CHARS, '0')}${LETTERS[name]}\n`;
}

/** Reads a header; undefined when it is none. The token is for the caller to compare. */
export function readStreamHeader(text: string): { token: string; id: number; name: StreamName } | undefined {
  const parts = /^([0-9a-f]{32})([0-9a-f]{8})([oei])\n$/u.exec(text);
  if (parts === null) return undefined;
  const [, token = '', id = '', letter = ''] = parts;
  const name = (Object.keys(LETTERS) as StreamName[]).find((each) => LETTERS[each] === letter);
  return name === undefined ? undefined : { token, id: Number.parseInt(id, 16), name };
}
