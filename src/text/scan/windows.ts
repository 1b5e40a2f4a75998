import { lineTooLong, MAX_LINE_BYTES } from './lines.ts';
import { LAYOUT, type Scanner } from './scan.ts';
import type { ByteSource } from './source.ts';

/**
 * Reads a source into a scanner's memory in windows of whole lines. After `next`, the lines are the bytes [begin, end) of
 * that memory. The window grows for a longer line.
 */
export class LineWindows {
  begin: number = LAYOUT.window;
  end: number = LAYOUT.window;
  /** The offset of the byte at `begin` in the source. */
  offset = 0;
  private readonly source: ByteSource;
  private readonly scanner: Scanner;
  private capacity: number;
  private filled = 0;

  constructor(source: ByteSource, scanner: Scanner, windowBytes: number) {
    this.source = source;
    this.scanner = scanner;
    this.capacity = windowBytes;
  }

  /** Reads the next lines; false if there are none. */
  next(): boolean {
    const { scanner } = this;
    const used = this.end - LAYOUT.window;
    scanner.bytes.copyWithin(LAYOUT.window, this.end, LAYOUT.window + this.filled);
    this.offset += used;
    this.filled -= used;
    this.end = LAYOUT.window;
    let searched = 0;
    for (;;) {
      scanner.ensureWindow(this.capacity);
      const from = LAYOUT.window + this.filled;
      const got = this.source.read(
        this.offset + this.filled,
        scanner.bytes.subarray(from, LAYOUT.window + this.capacity),
      );
      this.filled += got;
      const filledEnd = LAYOUT.window + this.filled;
      if (got === 0) {
        this.end = filledEnd;
        scanner.pad(filledEnd);
        return this.filled > 0;
      }
      // Search only the new bytes: the tables below the window are large.
      const unsearched = LAYOUT.window + searched;
      const newline = scanner.bytes.subarray(unsearched, filledEnd).lastIndexOf(10);
      if (newline >= 0) {
        this.end = unsearched + newline + 1;
        scanner.pad(filledEnd);
        return true;
      }
      searched = this.filled;
      if (this.filled === this.capacity) this.grow();
    }
  }

  private grow(): void {
    if (this.capacity >= MAX_LINE_BYTES) throw lineTooLong(this.offset);
    this.capacity *= 2;
  }
}
