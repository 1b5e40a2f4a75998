export type Eol = '\n' | '\r\n';

/** The ending that most lines of the text have; LF when there is none or a draw. */
export function dominantEol(text: string): Eol {
  let crlf = 0;
  let lf = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
    if (at > 0 && text.charCodeAt(at - 1) === 13) crlf++;
    else lf++;
  }
  return crlf > lf ? '\r\n' : '\n';
}

/** The ending of the line that holds `offset`, or the text's dominant one on an unfinished last line. */
export function eolAt(text: string, offset: number): Eol {
  const at = text.indexOf('\n', offset);
  if (at < 0) return dominantEol(text);
  return at > 0 && text.charCodeAt(at - 1) === 13 ? '\r\n' : '\n';
}
