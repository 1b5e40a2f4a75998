/** One row of the audit log as stored: secrets masked, length limited. */
import { createHash } from 'node:crypto';
import { maskSecrets } from '../../../text/secrets/mask.ts';
import type { AuditEntry } from '../../../wire/approval.ts';
import type { Row } from '../../database/shape.ts';

export type NewAuditEntry = Omit<AuditEntry, 'seq' | 'time' | 'masked' | 'cut'>;

const MOST_BYTES = 4096;
/** Limits for the strings of a row that is too long: the first one that makes it short enough is used. */
const SHORTER = [1500, 600, 200, 50];
const MOST_MEMBERS = 20;

export function rowOf(entry: NewAuditEntry): string {
  const row = masked(entry);
  const whole = JSON.stringify(row);
  if (Buffer.byteLength(whole) <= MOST_BYTES) return whole;
  for (const longest of SHORTER) {
    const short = JSON.stringify({ ...(shortened(row, longest) as object), cut: true });
    if (Buffer.byteLength(short) <= MOST_BYTES) return short;
  }
  const least = SHORTER.at(-1) ?? 0;
  return JSON.stringify({ ...(shortened({ ...row, details: {} }, least) as object), cut: true });
}

/** Reads a row of the table. */
export function auditEntryOf({ seq, time, line }: Row): AuditEntry {
  const entry = JSON.parse(String(line)) as Omit<AuditEntry, 'seq' | 'time'>;
  return { ...entry, seq: Number(seq), time: Number(time) };
}

/** The hash that links a row to all rows before it. */
export function hashOf(previous: string, row: { seq: number; time: number; line: string }): string {
  const { seq, time, line } = row;
  return createHash('sha256')
    .update(JSON.stringify([previous, seq, time, line]))
    .digest('hex');
}

function masked(entry: NewAuditEntry): Omit<AuditEntry, 'seq' | 'time'> {
  let isMasked = false;
  const mask = (value: unknown): unknown => {
    if (typeof value === 'string') {
      const found = maskSecrets(value);
      isMasked ||= found.masked;
      return found.text;
    }
    if (Array.isArray(value)) return value.map(mask);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, mask(member)]));
  };
  const row = {
    ...entry,
    ...(entry.command === undefined ? {} : { command: mask(entry.command) as string }),
    details: mask(entry.details) as AuditEntry['details'],
  };
  return isMasked ? { ...row, masked: true } : row;
}

function shortened(value: unknown, longest: number): unknown {
  if (typeof value === 'string') return value.length > longest ? `${value.slice(0, longest)}…` : value;
  if (Array.isArray(value)) return value.slice(0, MOST_MEMBERS).map((member) => shortened(member, longest));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).slice(0, MOST_MEMBERS);
  return Object.fromEntries(members.map(([name, member]) => [name.slice(0, longest), shortened(member, longest)]));
}
