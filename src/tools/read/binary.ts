/** Faults about files that are not text. */
import { Fault } from '../../base/fault.ts';
import { sizeText } from './limits.ts';
import type { Subject } from './subject.ts';

/** The format of the first bytes; undefined for an unknown one. */
export async function knownType(
  head: Uint8Array,
): Promise<{ readonly ext: string; readonly mime: string } | undefined> {
  const { fileTypeFromBuffer } = await import('file-type');
  return fileTypeFromBuffer(head);
}

export async function binaryFault({ head, source, name, details }: Subject): Promise<Fault> {
  const onlyNuls = head.every((byte) => byte === 0);
  const known = onlyNuls ? undefined : await knownType(head);
  const mime = known?.mime ?? 'application/octet-stream';
  const what = known === undefined ? (onlyNuls ? 'NUL bytes' : 'unknown binary data') : `${known.ext} (${mime})`;
  return new Fault('READ_BINARY', `${name} is not text but ${what}, ${sizeText(source.size)}`, {
    hint: ADVICE[known?.ext ?? ''] ?? 'use a program for this format, or set encoding to see the bytes as text',
    details: { ...details, kind: 'binary', mimeType: mime, bytes: source.size },
  });
}

/** Whether text looks like a hole in a file, for example in a log that was truncated while a program wrote to it. */
export function isMostlyNul(text: string): boolean {
  return text.length > 0 && text.includes('\0') && text.replaceAll('\0', '').length < text.length / 2;
}

/** For a file that begins as text. */
export function binaryPart({ name, source, details }: Subject, line: number): Fault {
  return new Fault('READ_BINARY', `${name} has NUL bytes instead of text at line ${line}`, {
    hint: 'read another part with offset, or set encoding to see the bytes as text',
    details: { ...details, kind: 'binary', mimeType: 'application/octet-stream', bytes: source.size, line },
  });
}

const ARCHIVE = 'unpack it first and read the files inside';
const OFFICE = 'convert it to text or PDF first, with LibreOffice or pandoc for example';
const ADVICE: Readonly<Record<string, string>> = {
  zip: ARCHIVE,
  gz: ARCHIVE,
  tar: ARCHIVE,
  xz: ARCHIVE,
  bz2: ARCHIVE,
  zst: ARCHIVE,
  '7z': ARCHIVE,
  rar: ARCHIVE,
  docx: OFFICE,
  xlsx: OFFICE,
  pptx: OFFICE,
  odt: OFFICE,
  ods: OFFICE,
  odp: OFFICE,
  cfb: OFFICE,
  sqlite: 'query it with the sqlite3 program',
};
