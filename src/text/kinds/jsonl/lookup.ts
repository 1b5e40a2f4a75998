import { decodeText } from '../../lines/bytes.ts';
import { keyAt } from '../../scan/fields.ts';
import type { Scanner } from '../../scan/scan.ts';
import type { Leaf } from '../../kind.ts';
import { scalarLeaf } from '../jsonc/jsonc.ts';

const OPEN_OBJECT = 0x7b;
const OPEN_ARRAY = 0x5b;

/** Follows keys into a line that the field scan has proven valid, without decoding it. */
export class Lookup {
  /** The key (its quote), start and end of the last value found. */
  key = 0;
  begin = 0;
  end = 0;
  private readonly scanner: Scanner;

  constructor(scanner: Scanner) {
    this.scanner = scanner;
  }

  /**
   * Follows the placed keys [first, first + count) from the object at `at`.
   * `doubtful`: the path has a key with escapes or an array, and the parser must decide.
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

  /** True if the last value found is an object or array. */
  get isContainer(): boolean {
    const opening = this.scanner.bytes[this.begin];
    return opening === OPEN_OBJECT || opening === OPEN_ARRAY;
  }
}

export function leafAt(scanner: Scanner, begin: number, end: number): Leaf {
  return scalarLeaf(decodeText(scanner.bytes.subarray(begin, end)));
}

/** The column of the byte at `at` in the line at `begin`, in UTF-16 units from 1. */
export function columnAt(scanner: Scanner, begin: number, at: number): number {
  const isBytes = scanner.wasm.isAscii(begin, at) !== 0;
  return (isBytes ? at - begin : decodeText(scanner.bytes.subarray(begin, at)).length) + 1;
}
