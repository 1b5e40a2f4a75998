/** Styles for parts of a line on a terminal; without colour each returns its text unchanged. */
export interface Paint {
  address(text: string): string;
  value(text: string): string;
  quiet(text: string): string;
  good(text: string): string;
  warning(text: string): string;
  bad(text: string): string;
}

export function paint(colour: boolean): Paint {
  const sgr = (code: number) => (text: string) => (colour ? `\u001b[${code}m${text}\u001b[39m` : text);
  return { address: sgr(36), value: sgr(32), quiet: sgr(90), good: sgr(32), warning: sgr(33), bad: sgr(31) };
}

/** A unified diff with removed lines in red and added lines in green. */
export function paintDiff(diff: string, style: Paint): string {
  const lines = diff.split('\n');
  // A removed line may begin with `-- `, so file names are recognized by the line after them.
  const isOld = (at: number) =>
    lines[at]?.startsWith('--- ') && lines[at + 1]?.startsWith('+++ ') && lines[at + 2]?.startsWith('@@');
  return lines
    .map((line, at) => {
      if (isOld(at) || isOld(at - 1)) return style.quiet(line);
      if (line.startsWith('@@')) return style.address(line);
      if (line.startsWith('+')) return style.good(line);
      return line.startsWith('-') ? style.bad(line) : line;
    })
    .join('\n');
}
