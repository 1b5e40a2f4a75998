import { decodeText } from '../../lines/bytes.ts';
import { keyAt } from '../../scan/fields.ts';
import type { Scanner } from '../../scan/scan.ts';
import type { Leaf } from '../../kind.ts';

const OPEN_OBJECT = 0x7b;
const OPEN_ARRAY = 0x5b;

/** Follows keys down into a line that the field scan has proven, without decoding it. */
export class Lookup {
  /** Where the value found last has its key (the quote), begins and ends. */
  key = 0;
  begin = 0;
  end = 0;
  private readonly scanner: Scanner;

  constructor(scanner: Scanner) {
    this.scanner = scanner;
  }

  /**
   * Goes from the object at `at` down the placed keys of numbers [first, first + count).
   * Doubtful: a key with escapes or an array is on the way, and the parser must tell.
   */
  descend(at: number, first: number, count: number): 'found' | 'missing' | 'doubtful' {
    const { bytes, wasm } = this.scanner;
    this.begin = at;
    for (let i = first; i < first + count; i++) {
      const opening = bytes[this.begin];
      if (opening === OPEN_ARRAY) return 'doubtful';
      if (opening !== OPEN_OBJECT) return 'missing';
      const { address, length } = keyAt(this.scanner, i);
      const status = wasm.member(this.begin, address, length);
      if (status !== 1) return status === 0 ? 'missing' : 'doubtful';
      this.key = wasm.memberKey.value as number;
      this.begin = wasm.memberBegin.value as number;
      this.end = wasm.memberEnd.value as number;
    }
    return 'found';
  }

  /** Whether the value found last is an object or array. */
  get isContainer(): boolean {
    const opening = this.scanner.bytes[this.begin];
    return opening === OPEN_OBJECT || opening === OPEN_ARRAY;
  }
}

/** The scalar in the bytes [begin, end) of the memory. */
export function leafAt(scanner: Scanner, begin: number, end: number): Leaf {
  const source = decodeText(scanner.bytes.subarray(begin, end));
  if (source[0] === '"') return { valueText: JSON.parse(source) as string, leafType: 'string' };
  if (source === 'true' || source === 'false') return { valueText: source, leafType: 'boolean' };
  return { valueText: source, leafType: source === 'null' ? 'null' : 'number' };
}

/** The column of the byte at `at` in the line that begins at `begin`, in UTF-16 units from 1. */
export function columnAt(scanner: Scanner, begin: number, at: number): number {
  const isBytes = scanner.wasm.isAscii(begin, at) !== 0;
  return (isBytes ? at - begin : decodeText(scanner.bytes.subarray(begin, at)).length) + 1;
}
