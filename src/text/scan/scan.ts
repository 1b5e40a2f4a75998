/**
 * The byte scanners: WebAssembly with SIMD, compiled from ./assembly. Each scanner has its own memory: tables and output
 * at fixed addresses, then one window, into which the source is read directly.
 */
import { SCAN_WASM } from './generated/scan-wasm.ts';

interface Exports {
  readonly memory: WebAssembly.Memory;
  countNewlines(at: number, end: number): number;
  pastNewline(at: number, end: number, nth: number): number;
  lineBegin(begin: number, at: number): number;
  isAscii(at: number, end: number): number;
  candidates(
    from: number,
    end: number,
    needle: number,
    needleLength: number,
    pair: number,
    units: number,
    unitCount: number,
    shortEscape: number,
    out: number,
    outEnd: number,
  ): number;
  readonly candidateLines: WebAssembly.Global;
  readonly candidateResume: WebAssembly.Global;
  fields(
    from: number,
    end: number,
    keys: number,
    keyCount: number,
    out: number,
    outEnd: number,
    gather: number,
    gatherLimit: number,
  ): number;
  readonly fieldLines: WebAssembly.Global;
  readonly fieldResume: WebAssembly.Global;
  readonly gatherEnd: WebAssembly.Global;
  findBytes(from: number, end: number, needle: number, length: number, pair: number): number;
  member(at: number, key: number, keyLength: number): number;
  readonly memberKey: WebAssembly.Global;
  readonly memberBegin: WebAssembly.Global;
  readonly memberEnd: WebAssembly.Global;
  formatRows(
    rows: number,
    count: number,
    rowSize: number,
    lineBase: number,
    template: number,
    pieceCount: number,
    types: number,
    scratch: number,
    out: number,
    outEnd: number,
    reserve: number,
  ): number;
  readonly formatEnd: WebAssembly.Global;
  seekStart(steps: number, count: number, stack: number): void;
  seekWindow(begin: number, end: number, origin: number, last: boolean): number;
  readonly seekFault: WebAssembly.Global;
  readonly faultAt: WebAssembly.Global;
  readonly seekDepth: WebAssembly.Global;
  readonly seekDoubt: WebAssembly.Global;
  readonly keyBegin: WebAssembly.Global;
  readonly keyEnd: WebAssembly.Global;
  readonly valueBegin: WebAssembly.Global;
  readonly valueEnd: WebAssembly.Global;
}

export const LAYOUT = {
  /** Texts to search for. */
  texts: 0x1000,
  textsEnd: 0xa000,
  /** Tables of addresses, lengths and numbers of the texts. */
  tables: 0xa000,
  tablesEnd: 0xf000,
  stack: 0xf000,
  candidates: 0x1_0000,
  candidatesEnd: 0x2_0000,
  rows: 0x2_0000,
  rowsEnd: 0x5_0000,
  /** A row is gathered only if it starts before `gatherLimit`; the space after it is for its values of up to 1 KB each. */
  gather: 0x5_0000,
  gatherLimit: 0x8_0000,
  formatted: 0x9_0000,
  formattedEnd: 0x18_0000,
  window: 0x19_0000,
} as const;

/** Zero bytes after a window that a scanner may read. */
const PADDING = 128;
const PAGE = 0x1_0000;

export const DEFAULT_WINDOW = 0x10_0000;

let compiled: WebAssembly.Module | undefined;
const idle: Scanner[] = [];
/** Two, because a seek borrows a second scanner to compute a position. */
const MOST_IDLE = 2;

/** Returns a scanner with a window of at least `windowBytes`. Call `release` afterwards. */
export function borrowScanner(windowBytes: number): Scanner {
  const scanner = idle.pop() ?? new Scanner();
  scanner.ensureWindow(windowBytes);
  return scanner;
}

/** An instance of the WebAssembly module with its own memory. */
export class Scanner {
  readonly wasm: Exports;
  /** The memory; valid until the next `ensureWindow`. */
  bytes: Uint8Array;
  words: Uint32Array;

  constructor() {
    compiled ??= new WebAssembly.Module(decodeBase64(SCAN_WASM));
    this.wasm = new WebAssembly.Instance(compiled).exports as unknown as Exports;
    this.bytes = new Uint8Array(this.wasm.memory.buffer);
    this.words = new Uint32Array(this.wasm.memory.buffer);
  }

  /** Grows the memory for a window of `windowBytes`; keeps its contents. */
  ensureWindow(windowBytes: number): void {
    const missing = LAYOUT.window + windowBytes + PADDING - this.bytes.length;
    if (missing <= 0) return;
    this.wasm.memory.grow(Math.ceil(missing / PAGE));
    this.bytes = new Uint8Array(this.wasm.memory.buffer);
    this.words = new Uint32Array(this.wasm.memory.buffer);
  }

  /** Writes zeros after a window that ends at `end`. */
  pad(end: number): void {
    this.bytes.fill(0, end, end + PADDING);
  }

  /** Keeps the scanner for reuse, unless a very long line made it large. */
  release(): void {
    if (idle.length < MOST_IDLE && this.bytes.length <= 4 * DEFAULT_WINDOW) idle.push(this);
  }
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
