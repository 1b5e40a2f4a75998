/** A part of a text, in UTF-16 units. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Replaces a secret. */
export const MASK = '***';

/** Replaces each span by the mask; adjacent spans become one. */
export function maskSpans(text: string, spans: readonly Span[]): string {
  const sorted = spans.filter(({ start, end }) => end > start).sort((a, b) => a.start - b.start);
  let out = '';
  let at = 0;
  let masked = -1;
  for (const { start, end } of sorted) {
    if (end <= at) continue;
    if (start > at || masked !== at) out += `${text.slice(at, Math.max(at, start))}${MASK}`;
    at = end;
    masked = end;
  }
  return out + text.slice(at);
}
