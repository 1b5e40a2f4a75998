/** Marks parts of a line for a terminal; without colour each gives its text back. */
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

/** A unified diff with what goes in red and what comes in green. */
export function paintDiff(diff: string, style: Paint): string {
  const lines = diff.split('\n');
  // A removed line may begin with `-- `, so that the names of files are known by what follows them.
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
