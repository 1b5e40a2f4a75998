/** The ticket of this process: a small file that says who it is. Each of its locks is another name of that file. */
import { unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeFault } from './faults.ts';
import { freshName, thisProcess } from './owner.ts';

const own = new Map<string, string>();

/** The path of this process's ticket in a folder, written when it is needed for the first time. */
export function ticketIn(folder: string): string {
  const known = own.get(folder);
  if (known !== undefined) return known;
  const nonce = freshName();
  const { pid, start } = thisProcess();
  const ticket = join(folder, `${pid}.${nonce}.ticket`);
  try {
    writeFileSync(ticket, JSON.stringify({ pid, start, nonce }), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    discard(ticket);
    throw writeFault(error, ticket);
  }
  if (own.size === 0) process.once('exit', discardAll);
  own.set(folder, ticket);
  return ticket;
}

/** Has the next one write a ticket anew. */
export function forgetTicket(folder: string): void {
  own.delete(folder);
}

function discardAll(): void {
  for (const ticket of own.values()) discard(ticket);
  own.clear();
}

function discard(ticket: string): void {
  try {
    unlinkSync(ticket);
  } catch {
    // A ticket that stays is harmless: it is swept when its process is gone.
  }
}
