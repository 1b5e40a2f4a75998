/** A bounded line comparison (longest common subsequence) for edits and their diffs. */

/** Lines [start, end) of the old text are replaced by lines [newStart, newEnd) of the new one. */
export interface LineHunk {
  readonly start: number;
  readonly end: number;
  readonly newStart: number;
  readonly newEnd: number;
}

/** Cells of the table; for larger texts everything from the first to the last difference is one hunk. */
const MOST_CELLS = 1_000_000;

export function lineHunks(before: readonly string[], after: readonly string[]): LineHunk[] {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < shorter - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;
  const rows = before.length - head - tail;
  const columns = after.length - head - tail;
  if (rows === 0 && columns === 0) return [];
  if (rows === 0 || columns === 0 || rows * columns > MOST_CELLS)
    return [{ start: head, end: head + rows, newStart: head, newEnd: head + columns }];
  return hunksOfTable(before, after, head, rows, columns);
}

function hunksOfTable(
  before: readonly string[],
  after: readonly string[],
  head: number,
  rows: number,
  columns: number,
): LineHunk[] {
  const width = columns + 1;
  // common[i * width + j] is the length of the common subsequence from line i of the old text and line j of the new one on.
  const common = new Uint32Array((rows + 1) * width);
  for (let i = rows - 1; i >= 0; i--)
    for (let j = columns - 1; j >= 0; j--)
      common[i * width + j] =
        before[head + i] === after[head + j]
          ? common[(i + 1) * width + j + 1]! + 1
          : Math.max(common[(i + 1) * width + j]!, common[i * width + j + 1]!);
  const hunks: LineHunk[] = [];
  let start = 0;
  let newStart = 0;
  const close = (i: number, j: number): void => {
    if (i > start || j > newStart)
      hunks.push({ start: head + start, end: head + i, newStart: head + newStart, newEnd: head + j });
  };
  let i = 0;
  let j = 0;
  while (i < rows && j < columns) {
    if (before[head + i] === after[head + j]) {
      close(i, j);
      start = ++i;
      newStart = ++j;
    } else if (common[(i + 1) * width + j]! >= common[i * width + j + 1]!) i++;
    else j++;
  }
  close(rows, columns);
  return hunks;
}
