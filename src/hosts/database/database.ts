import { statSync } from 'node:fs';
import { setImmediate } from 'node:timers';
import { databaseFault, removedStore } from './faults.ts';
import type { Connection, Database, EngineName, Statement, Value } from './shape.ts';

export interface GroupOptions {
  readonly file: string;
  readonly engine: EngineName;
  /** Hears of a flush that failed behind the back of whoever wrote; the next call throws it, too. */
  readonly onTrouble?: ((fault: unknown) => void) | undefined;
}

/** A connection with transactions, group commit, and faults in the place of the engine's errors. */
export class GroupedDatabase implements Database {
  readonly file: string;
  readonly engine: EngineName;
  readonly #connection: Connection;
  readonly #onTrouble: ((fault: unknown) => void) | undefined;
  readonly #statements = new Map<string, Statement>();
  /** A transaction is open: its writes wait for the flush at the end of this turn. */
  #open = false;
  #depth = 0;
  #trouble: { readonly fault: unknown } | undefined;
  #closed = false;
  /** Which file it is: what is written to one that was removed is nowhere. */
  #place: string | undefined;

  constructor(connection: Connection, { file, engine, onTrouble }: GroupOptions) {
    this.#connection = connection;
    this.file = file;
    this.engine = engine;
    this.#onTrouble = onTrouble;
  }

  exec(sql: string): void {
    this.#told(() => this.#connection.exec(sql));
  }

  prepare(sql: string): Statement {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#told(() => this.#connection.prepare(sql));
    const wrapped: Statement = {
      get: (...values: readonly Value[]) => this.#told(() => statement.get(...values)),
      all: (...values: readonly Value[]) => this.#told(() => statement.all(...values)),
      run: (...values: readonly Value[]) => this.#told(() => statement.run(...values)),
    };
    this.#statements.set(sql, wrapped);
    return wrapped;
  }

  transaction<T>(work: () => T): T {
    this.#checkPlace();
    const result = this.#within(work);
    // Inside of another one, the outer one flushes.
    if (this.#depth === 0) this.#commit();
    return result;
  }

  soon<T>(work: () => T): T {
    const isFirst = !this.#open;
    const result = this.#within(work);
    if (isFirst) setImmediate(() => this.#commitLater());
    return result;
  }

  flush(): void {
    this.#checkPlace();
    this.#bring();
  }

  close(): void {
    if (this.#closed) return;
    try {
      this.#bring();
    } finally {
      this.#closed = true;
      this.#shortenLog();
      this.#statements.clear();
      this.#connection.close();
    }
  }

  #bring(): void {
    this.#throwTrouble();
    if (this.#depth === 0) this.#commit();
  }

  /** Whoever relies on the disk must hear that the file is not there any more. */
  #checkPlace(): void {
    const stat = statSync(this.file, { bigint: true, throwIfNoEntry: false });
    const place = stat === undefined ? undefined : `${stat.dev}:${stat.ino}`;
    this.#place ??= place;
    if (place !== this.#place) throw removedStore(this.file);
  }

  /** One engine leaves its log behind when it closes, and the next open would replay all of it. */
  #shortenLog(): void {
    try {
      this.#connection.prepare('PRAGMA wal_checkpoint(TRUNCATE)').all();
    } catch {
      // A full disk, or somebody else is writing: everything stays in the log, which loses nothing.
    }
  }

  /** Runs the work as a part of the open transaction that is kept whole or undone whole. */
  #within<T>(work: () => T): T {
    this.#throwTrouble();
    const isFirst = !this.#open;
    if (isFirst) {
      // At once the writer's lock: a reader that becomes a writer could be refused without waiting.
      this.exec('BEGIN IMMEDIATE');
      this.#open = true;
    }
    const name = `part_${this.#depth}`;
    this.exec(`SAVEPOINT ${name}`);
    this.#depth++;
    try {
      const result = work();
      this.exec(`RELEASE ${name}`);
      return result;
    } catch (error) {
      this.#undo(name, error);
      if (isFirst) this.#end();
      throw error;
    } finally {
      this.#depth--;
    }
  }

  #undo(name: string, cause: unknown): void {
    try {
      this.exec(`ROLLBACK TO ${name}`);
      this.exec(`RELEASE ${name}`);
    } catch {
      // A full or failing disk has undone the whole group already, also what others wrote in this turn.
      this.#abandon(cause);
    }
  }

  #commit(): void {
    if (!this.#open) return;
    try {
      this.exec('COMMIT');
      this.#open = false;
    } catch (error) {
      this.#abandon(error);
      throw error;
    }
  }

  #commitLater(): void {
    if (this.#closed) return;
    try {
      this.#commit();
    } catch (error) {
      // Nobody waits for this flush: whoever writes next hears of it before anything else is believed.
      this.#trouble = { fault: error };
    }
  }

  /** The group is lost: says so, and leaves no half of it. */
  #abandon(fault: unknown): void {
    this.#onTrouble?.(fault);
    this.#end();
  }

  #end(): void {
    this.#open = false;
    try {
      this.#connection.exec('ROLLBACK');
    } catch {
      // The engine has ended the transaction by itself.
    }
  }

  #throwTrouble(): void {
    if (this.#trouble === undefined) return;
    const { fault } = this.#trouble;
    this.#trouble = undefined;
    throw fault;
  }

  #told<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw databaseFault(error, this.file);
    }
  }
}
