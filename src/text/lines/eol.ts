export type Eol = '\n' | '\r\n';

/** The most frequent line ending; LF when there is none or a tie. */
export function dominantEol(text: string): Eol {
  let crlf = 0;
  let lf = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
    if (at > 0 && text.charCodeAt(at - 1) === 13) crlf++;
    else lf++;
  }
  return crlf > lf ? '\r\n' : '\n';
}

/** The ending of the line at `offset`; the dominant one for a last line without an ending. */
export function eolAt(text: string, offset: number): Eol {
  const at = text.indexOf('\n', offset);
  if (at < 0) return dominantEol(text);
  return at > 0 && text.charCodeAt(at - 1) === 13 ? '\r\n' : '\n';
}
