import { paint } from '../terminal/paint.ts';

/** Aligned columns under headings. */
export function tableText(headings: readonly string[], rows: readonly (readonly string[])[], colour: boolean): string {
  const all = [headings, ...rows];
  const widths = headings.map((_, at) => Math.max(...all.map((row) => row[at]!.length)));
  const style = paint(colour);
  const lines = all.map((row, number) => {
    const line = row.map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd(widths[at]!))).join('  ');
    return number === 0 ? style.quiet(line) : line;
  });
  return `${lines.join('\n')}\n`;
}
