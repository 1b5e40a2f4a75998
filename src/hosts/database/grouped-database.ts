import { statSync } from 'node:fs';
import { setImmediate } from 'node:timers';
import type { Fault } from '../../base/fault.ts';
import { databaseFault, removedStore, unopenedLog, unsyncedStore } from './faults.ts';
import { LogSync } from './log-sync.ts';
import type { Connection, Database, EngineName, Statement, Value } from './shape.ts';

export interface GroupOptions {
  readonly file: string;
  readonly engine: EngineName;
  /** What a transaction survives when it returns. What `flush` has written survives a power failure in any case. */
  readonly survives: 'power-failure' | 'process-end';
  /** Receives the fault of a flush that failed in the background; the next call throws it too. */
  readonly onTrouble?: ((fault: unknown) => void) | undefined;
}

/** A connection with transactions and group commit; errors of the engine become faults. */
export class GroupedDatabase implements Database {
  readonly file: string;
  readonly engine: EngineName;
  readonly #connection: Connection;
  readonly #onTrouble: ((fault: unknown) => void) | undefined;
  readonly #log: LogSync;
  readonly #survives: GroupOptions['survives'];
  readonly #statements = new Map<string, Statement>();
  /** A transaction is open; its writes are flushed at the end of this turn of the event loop. */
  #open = false;
  #depth = 0;
  #trouble: { readonly fault: unknown } | undefined;
  /** The disk has failed: what was committed may be lost, and a repeated write would not tell. Nothing works from then on. */
  #broken: Fault | undefined;
  #closed = false;
  /** `dev:ino` of the file: writes to a removed file are lost. */
  #fileId: string | undefined;

  constructor(connection: Connection, { file, engine, survives, onTrouble }: GroupOptions) {
    this.#connection = connection;
    this.file = file;
    this.engine = engine;
    this.#onTrouble = onTrouble;
    this.#survives = survives;
    this.#log = new LogSync(file, (error) => void this.#syncFailed(error));
  }

  exec(sql: string): void {
    this.#mapErrors(() => this.#connection.exec(sql));
  }

  prepare(sql: string): Statement {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.prepareOnce(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  prepareOnce(sql: string): Statement {
    const statement = this.#mapErrors(() => this.#connection.prepare(sql));
    return {
      get: (...values: readonly Value[]) => this.#mapErrors(() => statement.get(...values)),
      all: (...values: readonly Value[]) => this.#mapErrors(() => statement.all(...values)),
      run: (...values: readonly Value[]) => this.#mapErrors(() => statement.run(...values)),
    };
  }

  transaction<T>(work: () => T): T {
    this.#checkFile();
    const result = this.#within(work);
    // In a nested transaction, the outer one flushes.
    if (this.#depth > 0) return result;
    if (this.#survives === 'power-failure') this.#commitToDisk();
    else this.#commit();
    return result;
  }

  record<T>(work: () => T): T {
    this.#checkFile();
    const result = this.#within(work);
    if (this.#depth > 0) return result;
    this.#commit();
    this.#syncSoon();
    return result;
  }

  soon<T>(work: () => T): T {
    const isFirst = !this.#open;
    const result = this.#within(work);
    if (isFirst) setImmediate(() => this.#commitLater());
    return result;
  }

  flush(): void {
    this.#checkFile();
    this.#commitNow();
  }

  close(): void {
    if (this.#closed) return;
    try {
      this.#commitNow();
    } finally {
      this.#closed = true;
      this.#truncateLog();
      this.#statements.clear();
      this.#connection.close();
      this.#log.close();
    }
  }

  #commitNow(): void {
    this.#throwTrouble();
    if (this.#depth === 0) this.#commitToDisk();
  }

  #commitToDisk(): void {
    this.#commit();
    try {
      this.#log.now();
    } catch (error) {
      throw this.#syncFailed(error);
    }
  }

  /** Throws if the file was removed or replaced: writes would not be durable. */
  #checkFile(): void {
    const stat = statSync(this.file, { bigint: true, throwIfNoEntry: false });
    const fileId = stat === undefined ? undefined : `${stat.dev}:${stat.ino}`;
    this.#fileId ??= fileId;
    if (fileId !== this.#fileId) throw removedStore(this.file);
  }

  /** One engine keeps its write-ahead log on close, and the next open would replay it all. */
  #truncateLog(): void {
    if (this.#broken !== undefined) return; // the next open checks each record of the log
    try {
      this.#connection.prepare('PRAGMA wal_checkpoint(TRUNCATE)').all();
    } catch {
      // Disk full or another writer: everything stays in the log, nothing is lost.
    }
  }

  /**
   * Runs the work in the open transaction, so that it is applied completely or not at all. What is in the transaction already has a
   * savepoint before the work; where nothing is, the transaction itself is rolled back.
   */
  #within<T>(work: () => T): T {
    this.#throwTrouble();
    const isFirst = !this.#open;
    const savepoint = isFirst ? undefined : `part_${this.#depth}`;
    // Take the write lock immediately: upgrading a read lock can fail without waiting.
    this.exec(savepoint === undefined ? 'BEGIN IMMEDIATE' : `SAVEPOINT ${savepoint}`);
    this.#open = true;
    this.#depth++;
    try {
      const result = work();
      if (savepoint !== undefined) this.exec(`RELEASE ${savepoint}`);
      return result;
    } catch (error) {
      if (savepoint === undefined) this.#end();
      else this.#undo(savepoint, error);
      throw error;
    } finally {
      this.#depth--;
    }
  }

  #undo(savepoint: string, cause: unknown): void {
    try {
      this.exec(`ROLLBACK TO ${savepoint}`);
      this.exec(`RELEASE ${savepoint}`);
    } catch {
      // A full or failing disk has already rolled back the whole group, including other writes of this turn.
      this.#abandon(cause);
    }
  }

  #commit(): void {
    if (!this.#open) return;
    try {
      this.#openLog();
      this.exec('COMMIT');
      this.#open = false;
      this.#log.written();
    } catch (error) {
      this.#abandon(error);
      throw error;
    }
  }

  #openLog(): void {
    try {
      this.#log.open();
    } catch (error) {
      throw unopenedLog(this.file, error);
    }
  }

  #commitLater(): void {
    if (this.#closed) return;
    try {
      if (!this.#open) return;
      this.#commit();
      this.#syncSoon();
    } catch (error) {
      // No caller waits for this flush: the next call throws the fault first.
      this.#trouble = { fault: error };
    }
  }

  #syncSoon(): void {
    if (this.#survives === 'power-failure') this.#log.soon();
  }

  #syncFailed(error: unknown): Fault {
    if (this.#broken === undefined) {
      this.#broken = unsyncedStore(this.file, error);
      this.#onTrouble?.(this.#broken);
    }
    return this.#broken;
  }

  /** Reports the loss of the group and rolls it back. */
  #abandon(fault: unknown): void {
    this.#onTrouble?.(fault);
    this.#end();
  }

  #end(): void {
    this.#open = false;
    try {
      this.#connection.exec('ROLLBACK');
    } catch {
      // The engine has already ended the transaction.
    }
  }

  #throwTrouble(): void {
    if (this.#broken !== undefined) throw this.#broken;
    if (this.#trouble === undefined) return;
    const { fault } = this.#trouble;
    this.#trouble = undefined;
    throw fault;
  }

  #mapErrors<T>(work: () => T): T {
    if (this.#broken !== undefined) throw this.#broken;
    try {
      return work();
    } catch (error) {
      throw databaseFault(error, this.file);
    }
  }
}
