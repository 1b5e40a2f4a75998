import { byteLength } from '../lines/bytes.ts';
import { assertNoSentinel, REDACTED_SENTINEL } from './sentinel.ts';
import { MAX_PATH_LENGTH, type OcPath, OcPathError } from './address.ts';
import { checkFile, checkSession, hasControl } from './parse.ts';
import { readSub, splitSlot } from './sub.ts';

/** Returns the canonical form; throws OcPathError for an address that has none. */
export function formatOcPath(path: OcPath): string {
  const shown = JSON.stringify(path);
  if (!path.file) throw new OcPathError('OC_PATH_FILE_REQUIRED', 'an address needs a file', shown);
  if ((path.item !== undefined && path.section === undefined) || (path.field !== undefined && path.item === undefined))
    throw new OcPathError('OC_PATH_NESTING', 'field needs item, and item needs section', shown);
  checkFile(path.file, shown);
  let out = `oc://${formatFile(path.file)}`;
  for (const slot of [path.section, path.item, path.field]) {
    if (slot === undefined) continue;
    out += `/${splitOrQuote(slot, shown)}`;
  }
  if (path.session) {
    checkSession(path.session, shown);
    out += `?session=${path.session}`;
  }
  assertNoSentinel(shown, 'an address');
  if (byteLength(out) > MAX_PATH_LENGTH)
    throw new OcPathError('OC_PATH_TOO_LONG', `an address has at most ${MAX_PATH_LENGTH} bytes`, out);
  return out;
}

/** A key that contains the redaction mark can still be found and read, but its address must not contain the mark. */
const ESCAPED_SENTINEL = `\\u005f${REDACTED_SENTINEL.slice(1)}`;

/** Most names need no further checks. */
const PLAIN = /^\w[\w-]*$/;

/** A literal name as one sub-segment: bare where that is safe, `"…"` where it needs quotes, otherwise `$"…"`. */
export function formatSegment(name: string): string {
  if (name.includes(REDACTED_SENTINEL)) return jsonQuote(name).replaceAll(REDACTED_SENTINEL, ESCAPED_SENTINEL);
  if (PLAIN.test(name)) return name;
  if (name === '' || looksLikeToken(name) || hasControl(name) || /["\\\ud800-\udfff]/.test(name))
    return jsonQuote(name);
  if (/[/.[\]{}?&%\s]/.test(name) || name !== name.normalize('NFC')) return `"${name}"`;
  return name;
}

function looksLikeToken(name: string): boolean {
  return (
    name === '*' || name === '**' || name === '$first' || name === '$last' || /^#\d+$/.test(name) || name[0] === '+'
  );
}

function jsonQuote(name: string): string {
  return `$${JSON.stringify(name).replace(/\u007f/g, '\\u007f')}`;
}

export function formatFile(file: string): string {
  if (/["\\]/.test(file)) return jsonQuote(file);
  const isBare = !/[/[\]{}?&%\s]|^\.\.|.\.\.|\.$/.test(file) && file === file.normalize('NFC');
  return isBare ? file : `"${file}"`;
}

/** Keeps a slot that is valid; quotes a slot that is invalid but consists of plain names. */
function splitOrQuote(slot: string, shown: string): string {
  if (hasControl(slot)) throw new OcPathError('OC_PATH_CONTROL_CHAR', 'a slot contains a control character', shown);
  const whole = slot.replace(/"(?:[^"\\]|\\.)*"|\[[^\]]*\]|\{[^}]*\}/g, '');
  if (whole === slot && /[/?&%\s]/.test(slot)) {
    const parts = slot.split('.');
    if (parts.includes('')) throw new OcPathError('OC_PATH_EMPTY_SUB_SEGMENT', 'a dotted sub-segment is empty', shown);
    return parts.map(formatSegment).join('.');
  }
  if (whole.includes('"'))
    throw new OcPathError('OC_PATH_UNQUOTABLE', 'a quote in a name is written $"…" with a JSON string', shown);
  for (const sub of splitSlot(slot, shown)) readSub(sub, shown);
  return slot;
}
