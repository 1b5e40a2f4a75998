/** The lines of an asciicast v3 file. */
import { constants } from 'node:os';
import { maskSecrets } from '../../../text/secrets/mask.ts';
import { markLabel, type RecordingMark } from '../../../wire/sessions/recording.ts';
import type { TerminalSize } from '../../../wire/session.ts';
import type { Exit } from '../../process/launch.ts';
import { nameOf } from '../names.ts';

export type CastEvent =
  | { readonly code: 'o'; readonly text: string }
  | { readonly code: 'r'; readonly size: TerminalSize }
  | { readonly code: 'm'; readonly mark: RecordingMark }
  /** The exit status. */
  | { readonly code: 'x'; readonly status: number };

export interface CastHeader {
  readonly size: TerminalSize;
  /** The value of TERM. */
  readonly type: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly command: string;
}

const LONGEST_COMMAND = 4096;
const LONGEST_TYPE = 64;

/** The command has its secrets masked, as every stored command. */
export function headerLine({ size, type, startedAt, command }: CastHeader): string {
  const { text } = maskSecrets(command);
  return `${JSON.stringify({
    version: 3,
    term: { cols: size.cols, rows: size.rows, type: type.slice(0, LONGEST_TYPE) },
    timestamp: Math.floor(startedAt / 1000),
    command: text.length > LONGEST_COMMAND ? `${text.slice(0, LONGEST_COMMAND)}…` : text,
    title: nameOf(text),
  })}\n`;
}

/** `afterMs`: whole milliseconds since the event before it. */
export function eventLine(afterMs: number, event: CastEvent): string {
  return `[${(afterMs / 1000).toFixed(3)}, "${event.code}", ${JSON.stringify(dataOf(event))}]\n`;
}

/** How the command ended; a signal as shells report it. */
export function exitEvents(exit: Exit): readonly CastEvent[] {
  if (exit.kind === 'code') return [{ code: 'x', status: exit.code }];
  if (exit.kind !== 'signal') return [{ code: 'm', mark: { kind: 'ended', how: exit.kind } }];
  const number = (constants.signals as Readonly<Record<string, number>>)[exit.signal];
  const status: readonly CastEvent[] = number === undefined ? [] : [{ code: 'x', status: 128 + number }];
  return [{ code: 'm', mark: { kind: 'ended', how: exit.signal.replaceAll(/\W/gu, '') } }, ...status];
}

function dataOf(event: CastEvent): string {
  switch (event.code) {
    case 'o':
      return event.text;
    case 'r':
      return `${event.size.cols}x${event.size.rows}`;
    case 'm':
      return markLabel(event.mark);
    case 'x':
      return String(event.status);
  }
}
