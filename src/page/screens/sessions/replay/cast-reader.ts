/** Reads an asciicast v3 recording, page after page. Times are milliseconds since its start. */
import { markOfLabel, type RecordingMark } from '../../../../wire/sessions/recording.ts';
import { isObject } from '../../../../wire/schema.ts';
import type { TerminalSize } from '../../../../wire/session.ts';

export type RecordedEvent = { readonly ms: number } & (
  | { readonly kind: 'output'; readonly text: string }
  | { readonly kind: 'resize'; readonly size: TerminalSize }
  | { readonly kind: 'mark'; readonly mark: RecordingMark }
  | { readonly kind: 'exit'; readonly status: number }
);

/** Where a page begins. */
export interface CastPosition {
  readonly ms: number;
  readonly size: TerminalSize;
}

export interface CastPage {
  /** As given, with the size that the header says. */
  readonly start: CastPosition;
  readonly events: readonly RecordedEvent[];
  readonly end: CastPosition;
}

/** The limits of a terminal that a browser can draw. */
const MOST_COLS = 1000;
const MOST_ROWS = 500;
const SIZE = /^(\d{1,4})x(\d{1,4})$/u;

/** Before the header. */
export const CAST_START: CastPosition = { ms: 0, size: { cols: 80, rows: 24 } };

/** Reads whole lines. `isFirst`: the first line is the header. Throws on a line that is not asciicast v3. */
export function readCastPage(text: string, start: CastPosition, isFirst: boolean): CastPage {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  let { ms, size } = start;
  if (isFirst) size = headerSize(lines.shift());
  const begin: CastPosition = { ms, size };
  const events: RecordedEvent[] = [];
  for (const line of lines) {
    const [seconds, code, data] = eventOf(line);
    ms += Math.round(seconds * 1000);
    const event = meaningOf(code, data);
    if (event === undefined) continue;
    if (event.kind === 'resize') size = event.size;
    events.push({ ms, ...event });
  }
  return { start: begin, events, end: { ms, size } };
}

function headerSize(line: string | undefined): TerminalSize {
  const header: unknown = line === undefined ? undefined : parsed(line);
  if (!isObject(header) || header['version'] !== 3 || !isObject(header['term']))
    throw new Error('the recording is not asciicast v3');
  const { cols, rows } = header['term'];
  return bounded(Number(cols), Number(rows)) ?? CAST_START.size;
}

function eventOf(line: string): readonly [number, string, string] {
  const event = parsed(line);
  if (!Array.isArray(event)) throw unreadable(line);
  const [seconds, code, data]: unknown[] = event;
  if (typeof seconds !== 'number' || !(seconds >= 0) || typeof code !== 'string' || typeof data !== 'string')
    throw unreadable(line);
  return [seconds, code, data];
}

type WithoutTime<E> = E extends unknown ? Omit<E, 'ms'> : never;

/** The format says that readers ignore codes which they do not know. */
function meaningOf(code: string, data: string): WithoutTime<RecordedEvent> | undefined {
  if (code === 'o') return { kind: 'output', text: data };
  if (code === 'r') {
    const [, cols, rows] = SIZE.exec(data) ?? [];
    const size = bounded(Number(cols), Number(rows));
    return size === undefined ? undefined : { kind: 'resize', size };
  }
  if (code === 'm') {
    const mark = markOfLabel(data);
    return mark === undefined ? undefined : { kind: 'mark', mark };
  }
  return code === 'x' && /^\d{1,3}$/u.test(data) ? { kind: 'exit', status: Number(data) } : undefined;
}

function bounded(cols: number, rows: number): TerminalSize | undefined {
  if (!Number.isInteger(cols) || !Number.isInteger(rows) || cols < 1 || rows < 1) return undefined;
  return { cols: Math.min(cols, MOST_COLS), rows: Math.min(rows, MOST_ROWS) };
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw unreadable(line);
  }
}

function unreadable(line: string): Error {
  return new Error(`the recording has a line that is not an event: ${line.slice(0, 80)}`);
}
