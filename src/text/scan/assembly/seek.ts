// @ts-nocheck: this folder is AssemblyScript, compiled by scripts/build-scan.mjs.
import {
  BACKSLASH,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  SLASH,
  STAR,
  byteAt,
  sameBytes,
} from './bytes';
import { newlineFrom } from './newlines';
import { hugeNumberEnd, pastNumber, wordLength } from './scalars';
import { endsWord, numberRuns, pastWhite, readString, shortString, stringEscape, stringStop } from './tokens';

/** Parser states: what may come next. From VALUE_OR_CLOSE to AFTER_VALUE the open container may close. */
const VALUE: u32 = 0;
const AFTER_KEY: u32 = 1;
const VALUE_OR_CLOSE: u32 = 2;
const KEY_OR_CLOSE: u32 = 3;
const AFTER_VALUE: u32 = 4;
const NOTHING: u32 = 5;
const IN_KEY: u32 = 6;
const IN_STRING: u32 = 7;
const IN_LINE_COMMENT: u32 = 8;
const IN_BLOCK_COMMENT: u32 = 9;

/** Faults: why a document is invalid. */
const NO_VALUE: u32 = 1;
const NO_KEY: u32 = 2;
const NO_COLON: u32 = 3;
const NO_COMMA: u32 = 4;
const OPEN_STRING: u32 = 5;
const BAD_ESCAPE: u32 = 6;
const CONTROL_IN_STRING: u32 = 7;
const OPEN_COMMENT: u32 = 8;
const MORE_THAN_ONE: u32 = 9;
const TOO_DEEP: u32 = 10;
const EMPTY: u32 = 11;

const MAX_DEPTH: i32 = 256;
const STEP: usize = 12;

let state: u32 = VALUE;
/** The state to restore after a comment. */
let resumed: u32 = VALUE;
/** The number of open containers. */
export let depth: i32 = 0;
/** One byte for each level: its opening bracket. */
let levels: usize = 0;
let steps: usize = 0;
let stepCount: i32 = 0;
/** The number of steps taken; the container that they lead to is open. */
let taken: i32 = 0;
/** The depth of that container's members, or -1 if the result is decided. */
let watched: i32 = -1;
/** Members of the watched container read so far. */
let members: u32 = 0;
/** The next value is the next step. */
let onPath: bool = false;
/** The depth of the target's container while the target is being read, or -1. */
let targetDepth: i32 = -1;

/** The start of the string or comment that is being read. */
let tokenBegin: f64 = 0;

/** The fault of the document, or 0, and its offset. */
export let seekFault: u32 = 0;
export let faultAt: f64 = 0;
/** A key on the path has escapes: only a full parse can decide. */
export let seekDoubt: bool = false;
/** The spans of the target's key (with quotes) and value, -1 until known; `keyBegin` stays -1 for an element or the root. */
export let keyBegin: f64 = -1;
export let keyEnd: f64 = -1;
export let valueBegin: f64 = -1;
export let valueEnd: f64 = -1;

/** Starts a document with `count` steps of three u32 (address and length of the key, index or -1) and a stack of 256 bytes. */
export function seekStart(stepTable: usize, count: i32, stack: usize): void {
  state = VALUE;
  depth = 0;
  levels = stack;
  steps = stepTable;
  stepCount = count;
  taken = 0;
  watched = -1;
  members = 0;
  onPath = true;
  targetDepth = -1;
  seekFault = 0;
  seekDoubt = false;
  keyBegin = -1;
  keyEnd = -1;
  valueBegin = -1;
  valueEnd = -1;
}

/**
 * Reads the next window [begin, end) of the document; the byte at `begin` is byte `origin` of the document.
 * Returns the address where the next window must start: before a token that `end` cuts, unless `last`.
 * 80 zero bytes must follow `end`.
 */
export function seekWindow(begin: usize, end: usize, origin: f64, last: bool): usize {
  // Locals are faster than globals; `depth` and `state` are stored back at the end.
  let level = depth;
  let next = state;
  let closer = level > 0 ? byteAt(levels + level - 1) + 2 : 0;
  let at = begin;
  let comment = begin;
  let result: usize = 0;
  while (true) {
    if (next >= IN_KEY) {
      if (next == IN_LINE_COMMENT) {
        at = newlineFrom(at, end);
        if (at >= end && !last) {
          result = end;
          break;
        }
        next = resumed;
      } else if (next == IN_BLOCK_COMMENT) {
        while (at < end && !(byteAt(at) == STAR && byteAt(at + 1) == SLASH)) at++;
        if (at >= end) {
          // A star may be the first half of the closing mark, unless it is part of the opening one.
          if (last) result = brokenAt(OPEN_COMMENT, tokenBegin, end);
          else result = end > comment && byteAt(end - 1) == STAR ? end - 1 : end;
          break;
        }
        at += 2;
        next = resumed;
      } else {
        const past = readString(at, end);
        if (past == 0) {
          result = stringCut(end, begin, origin, last);
          break;
        }
        at = past;
        if (next == IN_KEY) next = AFTER_KEY;
        else {
          next = level == 0 ? NOTHING : AFTER_VALUE;
          if (targetDepth == level) closeTarget(at, begin, origin);
        }
      }
    }
    at = pastWhite(at);
    if (at >= end) {
      result = end;
      if (last && next != NOTHING) result = broken(next == VALUE && level == 0 ? EMPTY : whatIsMissing(next), end, begin, origin);
      break;
    }
    const byte = byteAt(at);
    if (byte == closer && next - VALUE_OR_CLOSE <= AFTER_VALUE - VALUE_OR_CLOSE) {
      if (level == watched) watched = -1;
      level--;
      at++;
      closer = level > 0 ? byteAt(levels + level - 1) + 2 : 0;
      next = level == 0 ? NOTHING : AFTER_VALUE;
      if (targetDepth == level) closeTarget(at, begin, origin);
      continue;
    }
    if (byte == SLASH) {
      if (at + 1 >= end && !last) {
        result = at;
        break;
      }
      const kind = byteAt(at + 1);
      if (kind != SLASH && kind != STAR) {
        result = broken(whatIsMissing(next), at, begin, origin);
        break;
      }
      resumed = next;
      tokenBegin = origin + <f64>(at - begin);
      next = kind == SLASH ? IN_LINE_COMMENT : IN_BLOCK_COMMENT;
      at += 2;
      comment = at;
      continue;
    }
    if (next == AFTER_VALUE) {
      if (byte != COMMA) {
        result = broken(NO_COMMA, at, begin, origin);
        break;
      }
      at++;
      next = closer == CLOSE_OBJECT ? KEY_OR_CLOSE : VALUE_OR_CLOSE;
      continue;
    }
    if (next == AFTER_KEY) {
      if (byte != COLON) {
        result = broken(NO_COLON, at, begin, origin);
        break;
      }
      at++;
      next = VALUE;
      continue;
    }
    if (next == KEY_OR_CLOSE) {
      if (byte != QUOTE) {
        result = broken(NO_KEY, at, begin, origin);
        break;
      }
      if (level == watched) {
        const past = readString(at + 1, end);
        // Read a key again that the window cuts, because it must be compared as a whole.
        if (past == 0 && !last && stringStop + 6 > end) {
          result = at;
          break;
        }
        if (past != 0) {
          compareKey(at, past, begin, origin);
          at = past;
          next = AFTER_KEY;
          continue;
        }
      }
      const past = shortString(at + 1, end);
      if (past != 0) {
        at = past;
        next = AFTER_KEY;
        if (byteAt(at) != COLON || at >= end) continue;
        at++;
        next = VALUE;
        continue;
      }
      tokenBegin = origin + <f64>(at - begin);
      at++;
      next = IN_KEY;
      continue;
    }
    if (next == NOTHING) {
      result = broken(MORE_THAN_ONE, at, begin, origin);
      break;
    }
    // A value.
    if (level == watched && closer == CLOSE_ARRAY) {
      if (members++ == load<u32>(steps + <usize>taken * STEP, 8)) onPath = true;
    }
    if (byte == OPEN_OBJECT || byte == OPEN_ARRAY) {
      if (level >= MAX_DEPTH) {
        result = broken(TOO_DEEP, at, begin, origin);
        break;
      }
      if (onPath) enterContainer(level, at, begin, origin);
      store<u8>(levels + level, byte);
      level++;
      closer = byte + 2;
      next = byte == OPEN_OBJECT ? KEY_OR_CLOSE : VALUE_OR_CLOSE;
      at++;
      continue;
    }
    let past: usize = 0;
    if (byte == QUOTE) {
      if (onPath) enterScalar(level, at, begin, origin);
      past = shortString(at + 1, end);
      if (past == 0) {
        tokenBegin = origin + <f64>(at - begin);
        at++;
        next = IN_STRING;
        continue;
      }
    } else {
      let isCut = false;
      if (byte > 0x60) {
        isCut = at + 6 > end;
        past = at + <usize>wordLength(at);
        if (past == at || past > end) past = 0;
      } else {
        past = pastNumber(at);
        if (past == 0 && hugeNumberEnd != 0) {
          past = hugeNumberEnd;
          if (past < end || last) seekDoubt = true;
        }
        isCut = (past == 0 || past >= end) && numberRuns(at) >= end;
      }
      if (isCut && !last) {
        // The token is read again in the next window, so do not count its element yet.
        if (level == watched && closer == CLOSE_ARRAY) {
          members--;
          onPath = false;
        }
        result = at;
        break;
      }
      if (past == 0 || !endsWord(past, end)) {
        result = broken(NO_VALUE, at, begin, origin);
        break;
      }
      if (onPath) enterScalar(level, at, begin, origin);
    }
    at = past;
    if (targetDepth == level) closeTarget(at, begin, origin);
    if (level == 0) next = NOTHING;
    else if (byteAt(at) == COMMA && at < end) {
      at++;
      next = closer == CLOSE_OBJECT ? KEY_OR_CLOSE : VALUE_OR_CLOSE;
    } else next = AFTER_VALUE;
  }
  depth = level;
  state = next;
  return result;
}

/** Where to continue if a string does not end in the window: it is cut, or invalid at `stringStop`. */
function stringCut(end: usize, begin: usize, origin: f64, last: bool): usize {
  const stop = stringStop;
  const isEscape = stop < end && byteAt(stop) == BACKSLASH;
  if (!last && (stop >= end || (isEscape && stop + 6 > end))) return min(stop, end);
  if (stop >= end) return brokenAt(OPEN_STRING, tokenBegin, end);
  return broken(isEscape ? BAD_ESCAPE : CONTROL_IN_STRING, stop, begin, origin);
}

/** Compares a member's key, from its quote at `at` to `past`, with the wanted step. */
function compareKey(at: usize, past: usize, begin: usize, origin: f64): void {
  if (stringEscape) {
    seekDoubt = true;
    return;
  }
  const step = steps + <usize>taken * STEP;
  const length = <u32>(past - at - 2);
  if (load<u32>(step, 4) != length || !sameBytes(at + 1, <usize>load<u32>(step), length)) return;
  onPath = true;
  keyBegin = origin + <f64>(at - begin);
  keyEnd = origin + <f64>(past - begin);
}

/** Enters a container that is the next step: it is the target, or contains the step after it. */
function enterContainer(level: i32, at: usize, begin: usize, origin: f64): void {
  if (taken + (level == 0 ? 0 : 1) == stepCount) {
    enterScalar(level, at, begin, origin);
    return;
  }
  onPath = false;
  if (level > 0) taken++;
  watched = level + 1;
  members = 0;
  keyBegin = -1;
  keyEnd = -1;
}

/** Enters a value that is the next step and has no further steps: it is the target, or the path ends here. */
function enterScalar(level: i32, at: usize, begin: usize, origin: f64): void {
  onPath = false;
  watched = -1;
  if (taken + (level == 0 ? 0 : 1) != stepCount) return;
  valueBegin = origin + <f64>(at - begin);
  targetDepth = level;
}

function closeTarget(past: usize, begin: usize, origin: f64): void {
  valueEnd = origin + <f64>(past - begin);
  targetDepth = -1;
}

function whatIsMissing(next: u32): u32 {
  if (next == KEY_OR_CLOSE) return NO_KEY;
  if (next == AFTER_KEY) return NO_COLON;
  if (next == AFTER_VALUE) return NO_COMMA;
  if (next == NOTHING) return MORE_THAN_ONE;
  return NO_VALUE;
}

function broken(fault: u32, at: usize, begin: usize, origin: f64): usize {
  return brokenAt(fault, origin + <f64>(at - begin), at);
}

function brokenAt(fault: u32, offset: f64, at: usize): usize {
  seekFault = fault;
  faultAt = offset;
  return at;
}
