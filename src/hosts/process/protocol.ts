/**
 * What the launcher and its spawner say to each other: one JSON value per line on the control channel, and, on each
 * connection that becomes a stream of a program, a header of fixed length in front of the first byte.
 */
import type { TerminalSize } from '../../wire/session.ts';
import type { ProcessId } from './processes.ts';
import type { Exit, Launch } from './launch.ts';

/** A stream of a session: what it prints, what it complains, what it is told. */
export type StreamName = 'out' | 'err' | 'in';

/** What the launcher says. */
export type Order =
  | {
      readonly type: 'hello';
      /** Where streams are to be connected, and the word that opens the door. */
      readonly socket: string;
      readonly token: string;
      /** Names the launcher's processes beside their session. */
      readonly owner: string;
      readonly graceMs: number;
      /** It starts one session, whose terminal is its own. */
      readonly single?: true;
    }
  | { readonly type: 'launch'; readonly id: number; readonly launch: Launch }
  | { readonly type: 'resize'; readonly id: number; readonly size: TerminalSize };

/** What the spawner answers. */
export type Report =
  | { readonly type: 'ready' }
  | {
      readonly type: 'started';
      readonly id: number;
      /** One per stage, in their order. */
      readonly processes: readonly ProcessId[];
      /** The folder of their control group, where there is one. */
      readonly cgroup?: string;
      readonly pty: boolean;
      readonly warnings: readonly string[];
    }
  | { readonly type: 'ended'; readonly id: number; readonly exit: Exit };

/** The streams of a launch that the launcher has to wait for. */
export function streamsOf({ streams, stdin }: Launch, pty: boolean): readonly StreamName[] {
  if (pty) return ['out', 'in'];
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

/** Cuts a stream of text into JSON values, one per line; only what the other half of this file wrote comes in. */
export function lineReader(receive: (value: unknown) => void): (text: string) => void {
  let rest = '';
  return (text) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) receive(JSON.parse(line));
  };
}
