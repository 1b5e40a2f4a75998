/** The header of a stream that is a connection of its own: it names the run and the stream. */
import type { StreamName } from './stage-streams.ts';

/** Where programs connect their streams, and the token that admits them. */
export interface StreamServerAddress {
  readonly socket: string;
  readonly token: string;
}

const TOKEN_CHARS = 32;
const ID_CHARS = 8;

/** A kind and a number in hexadecimal: `o00` is `out`, `o01` is `out1`. */
const NAME_CHARS = 3;

export const HEADER_BYTES = TOKEN_CHARS + ID_CHARS + NAME_CHARS + 1;

const LETTERS = { out: 'o', err: 'e', in: 'i' } as const;

export function streamHeader(token: string, id: number, name: StreamName): string {
  const [, kind = '', number = '0'] = /^(out|err|in)(\d*)$/u.exec(name) ?? [];
  const letter = LETTERS[kind as keyof typeof LETTERS];
  return `${token}${id.toString(16).padStart(ID_CHARS, '0')}${letter}${Number(number).toString(16).padStart(2, '0')}\n`;
}

/** Undefined when it is invalid. The caller compares the token. */
export function readStreamHeader(text: string): { token: string; id: number; name: StreamName } | undefined {
  const parts = /^([0-9a-f]{32})([0-9a-f]{8})([oei])([0-9a-f]{2})\n$/u.exec(text);
  if (parts === null) return undefined;
  const [, token = '', id = '', letter = '', digits = ''] = parts;
  const kind = (['out', 'err', 'in'] as const).find((each) => LETTERS[each] === letter);
  const number = Number.parseInt(digits, 16);
  if (kind === undefined || (kind === 'err' && number > 0)) return undefined;
  const name = number === 0 ? kind : (`${kind}${number}` as StreamName);
  return { token, id: Number.parseInt(id, 16), name };
}
