/** Reads a recording as asciicast v3 describes it, without code of the product. */
import xterm from '@xterm/headless';
import type { RecordingPage } from '../../src/wire/sessions/recording.ts';

export interface CastLine {
  /** Seconds since the start. */
  readonly at: number;
  readonly code: string;
  readonly data: string;
}

export interface Cast {
  readonly header: Readonly<Record<string, unknown>> & {
    readonly term: { readonly cols: number; readonly rows: number };
  };
  readonly events: readonly CastLine[];
}

export function parseCast(text: string): Cast {
  const [header = '', ...lines] = text.split('\n').slice(0, -1);
  let at = 0;
  const events = lines.map((line) => {
    const [interval, code, data] = JSON.parse(line) as [number, string, string];
    at += interval;
    return { at, code, data };
  });
  return { header: JSON.parse(header) as Cast['header'], events };
}

/** All output of a recording. */
export function outputOf({ events }: Cast): string {
  return events
    .filter(({ code }) => code === 'o')
    .map(({ data }) => data)
    .join('');
}

/** The labels of all marks. */
export function marksOf({ events }: Cast): readonly string[] {
  return events.filter(({ code }) => code === 'm').map(({ data }) => data);
}

/** Reads a whole recording in small pages. */
export async function readAll(
  page: (from: number) => Promise<RecordingPage>,
): Promise<{ readonly text: string; readonly done: boolean; readonly truncated: boolean }> {
  let text = '';
  for (let from = 0; ; ) {
    const { text: more, next, done, truncated } = await page(from);
    text += more;
    if (done || next === from) return { text, done, truncated: truncated === true };
    from = next;
  }
}

/** The screen after the replay of a recording. */
export async function replayed({ header, events }: Cast): Promise<{
  readonly lines: readonly string[];
  readonly cursor: { readonly row: number; readonly col: number };
}> {
  const { cols, rows } = header.term;
  const terminal = new xterm.Terminal({ cols, rows, scrollback: 0, allowProposedApi: true });
  for (const { code, data } of events) {
    if (code === 'o') await new Promise<void>((done) => terminal.write(data, done));
    if (code === 'r') terminal.resize(...(data.split('x').map(Number) as [number, number]));
  }
  const { active } = terminal.buffer;
  return {
    lines: Array.from({ length: terminal.rows }, (_, row) =>
      active.getLine(active.baseY + row)!.translateToString(true),
    ),
    cursor: { row: active.cursorY, col: active.cursorX },
  };
}
