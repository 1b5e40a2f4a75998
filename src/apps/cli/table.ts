/** Rows for a person, in columns as wide as what stands in them. */
import { paint } from '../terminal/paint.ts';

/** The heads, quiet on a terminal with colours, and the rows below them. */
export function tableText(heads: readonly string[], rows: readonly (readonly string[])[], colour: boolean): string {
  const all = [heads, ...rows];
  const widths = heads.map((_, at) => Math.max(...all.map((row) => row[at]!.length)));
  const style = paint(colour);
  const lines = all.map((row, number) => {
    const line = row.map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd(widths[at]!))).join('  ');
    return number === 0 ? style.quiet(line) : line;
  });
  return `${lines.join('\n')}\n`;
}
