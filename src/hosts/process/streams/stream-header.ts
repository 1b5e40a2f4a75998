/** The header of a stream that is a connection of its own: it names the run and the stream. */
import type { Launch } from '../launch.ts';

export type StreamName = 'out' | 'err' | 'in';

/** Where programs connect their streams, and the token that admits them. */
export interface StreamServerAddress {
  readonly socket: string;
  readonly token: string;
}

/** The streams of a launch. One that requests a terminal has the same streams where it runs with pipes instead. */
export function streamsOf({ streams, stdin, pty }: Launch): readonly StreamName[] {
  if (pty !== undefined) return ['out', 'in'];
  return ['out', ...(streams === 'apart' ? (['err'] as const) : []), ...(stdin === 'open' ? (['in'] as const) : [])];
}

const TOKEN_CHARS = 32;
const ID_CHARS = 8;

export const HEADER_BYTES = TOKEN_CHARS + ID_CHARS + 2;

const LETTERS: Readonly<Record<StreamName, string>> = { out: 'o', err: 'e', in: 'i' };

export function streamHeader(token: string, id: number, name: StreamName): string {
  return `${token}${id.toString(16).padStart(ID_CHARS, '0')}${LETTERS[name]}\n`;
}

/** Undefined when it is invalid. The caller compares the token. */
export function readStreamHeader(text: string): { token: string; id: number; name: StreamName } | undefined {
  const parts = /^([0-9a-f]{32})([0-9a-f]{8})([oei])\n$/u.exec(text);
  if (parts === null) return undefined;
  const [, token = '', id = '', letter = ''] = parts;
  const name = (Object.keys(LETTERS) as StreamName[]).find((each) => LETTERS[each] === letter);
  return name === undefined ? undefined : { token, id: Number.parseInt(id, 16), name };
}
