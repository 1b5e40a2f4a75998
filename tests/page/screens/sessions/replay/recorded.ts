/** A recording in memory, which is read as the gateway gives it. */
import { Recording } from '../../../../../src/page/screens/sessions/replay/recording.ts';
import type { TerminalSize } from '../../../../../src/wire/session.ts';

/** Milliseconds since the event before, code, data. */
export type CastStep = readonly [number, 'o' | 'r' | 'm' | 'x', string];

export function castText(size: TerminalSize, steps: readonly CastStep[]): string {
  const header = JSON.stringify({ version: 3, term: { ...size, type: 'xterm-256color' }, timestamp: 1 });
  const events = steps.map(([ms, code, data]) => `[${(ms / 1000).toFixed(3)}, "${code}", ${JSON.stringify(data)}]`);
  return `${[header, ...events].join('\n')}\n`;
}

export interface GivenRecording {
  readonly recording: Recording;
  /** `from` of each call. */
  readonly calls: readonly number[];
  /** More is recorded. */
  append(text: string, isDone: boolean): void;
}

/** Whole lines of at most `pageBytes`, and at least one. */
export function givenRecording(text: string, pageBytes = 0x8_0000, isDone = true): GivenRecording {
  let bytes = Buffer.from(text);
  let done = isDone;
  const calls: number[] = [];
  const recording = new Recording(async (from, maxBytes) => {
    calls.push(from);
    const window = bytes.subarray(from, from + Math.min(pageBytes, maxBytes));
    const last = window.lastIndexOf(10);
    const end = last >= 0 ? from + last + 1 : from + bytes.subarray(from).indexOf(10) + 1;
    const next = from >= bytes.length ? from : end;
    return { text: bytes.toString('utf8', from, next), next, done: done && next >= bytes.length };
  });
  return {
    recording,
    calls,
    append(more, isLast) {
      bytes = Buffer.concat([bytes, Buffer.from(more)]);
      done = isLast;
    },
  };
}
