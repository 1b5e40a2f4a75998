/** Which keys of requests a node keeps, and whether it may have forgotten one. */
import type { Database } from '../../hosts/database/shape.ts';

const DAY_MS = 86_400_000;
/** A gateway asks for the outcome when it connects. */
const FINISHED_MS = 7 * DAY_MS;
/** An approval request expires after 30 days at most, and a gateway looks its key up for 31. */
const UNFINISHED_MS = 32 * DAY_MS;
/** For each gateway and kind: a gateway must not fill the disk of the node. */
const MOST_KEYS = 10_000;

const FINISHED = '(answer IS NOT NULL OR ended IS NOT NULL)';
/** A person was asked, or the node died while it started the command. */
const WITHOUT_SESSION = '(answer IS NULL AND ended IS NULL AND session IS NULL)';
/** Of an earlier start of the machine: its end will not be recorded. */
const CUT_SHORT = '(answer IS NULL AND ended IS NULL AND session IS NOT NULL AND boot <> ?)';

/** Removes old keys. That of a command that may still run stays. */
export function pruneKeys(database: Database, now: number, boot: string, mostKeys = MOST_KEYS): void {
  const remove = (condition: string, ...values: readonly (string | number)[]): void => {
    const last = database.prepare(`SELECT MAX(number) AS last FROM accepted WHERE ${condition}`).get(...values)?.[
      'last'
    ];
    if (typeof last !== 'number') return;
    database.prepare('UPDATE store SET pruned = MAX(pruned, ?)').run(last);
    database.prepare(`DELETE FROM accepted WHERE ${condition}`).run(...values);
  };
  remove(`time < ? AND ${FINISHED}`, now - FINISHED_MS);
  remove(`time < ? AND ${WITHOUT_SESSION}`, now - UNFINISHED_MS);
  remove(`time < ? AND ${CUT_SHORT}`, now - UNFINISHED_MS, boot);
  for (const { gateway } of database.prepare('SELECT DISTINCT gateway FROM accepted').all())
    for (const kind of [FINISHED, WITHOUT_SESSION]) {
      const select = `SELECT number FROM accepted WHERE gateway = ? AND ${kind} ORDER BY number DESC LIMIT 1 OFFSET ?`;
      const oldest = database.prepare(select).get(String(gateway), mostKeys)?.['number'];
      if (typeof oldest === 'number') remove(`gateway = ? AND number <= ? AND ${kind}`, String(gateway), oldest);
    }
}

/** Removes answers from before a time, and all but the newest of each gateway. */
export function pruneAnswers(database: Database, before: number, mostAnswers = MOST_KEYS): void {
  database.prepare('DELETE FROM answers WHERE time < ?').run(before);
  for (const { gateway } of database.prepare('SELECT DISTINCT gateway FROM answers').all())
    database
      .prepare(
        `DELETE FROM answers WHERE gateway = ? AND rowid <=
         (SELECT rowid FROM answers WHERE gateway = ? ORDER BY rowid DESC LIMIT 1 OFFSET ?)`,
      )
      .run(String(gateway), String(gateway), mostAnswers);
}

/** The number of the newest key that the database has or had. The next key gets a higher one. */
export const LAST_NUMBER = 'SELECT MAX(pruned, COALESCE((SELECT MAX(number) FROM accepted), 0)) AS last FROM store';

export function lastNumber(database: Database): number {
  return Number(database.prepare(LAST_NUMBER).get()?.['last'] ?? 0);
}

/** Whether a key that came after the key with this number may have been removed. */
export function mayHavePruned(database: Database, number: number): boolean {
  return number < Number(database.prepare('SELECT pruned FROM store').get()?.['pruned'] ?? 0);
}
