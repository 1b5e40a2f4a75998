/** Interfaces of the embedded database: small, synchronous, the same for both engines. */

/** Text contains no NUL: one of the engines truncates there. JSON never does. */
export type Value = string | number | null;
export type Row = Readonly<Record<string, Value>>;

export interface Statement {
  get(...values: readonly Value[]): Row | undefined;
  all(...values: readonly Value[]): readonly Row[];
  run(...values: readonly Value[]): { readonly changes: number; readonly lastId: number };
}

/** The migration at index n upgrades a file from version n to n + 1. */
export type Migrations = readonly string[];

export interface Database {
  readonly file: string;
  readonly engine: EngineName;
  exec(sql: string): void;
  /** Cached for the life of the database: each SQL text is compiled once. */
  prepare(sql: string): Statement;
  /** Not cached: for SQL that depends on a request, of which there may be many. */
  prepareOnce(sql: string): Statement;
  /** Atomic; what it wrote is on disk when this returns. */
  transaction<T>(work: () => T): T;
  /**
   * Atomic; what it wrote survives the end of this process when this returns. It is written to the disk without a wait, so a power
   * failure in the next milliseconds may lose it.
   */
  record<T>(work: () => T): T;
  /**
   * Atomic; flushed together with all other writes of this turn of the event loop, so that many small writes cost one flush.
   * `flush` and `transaction` write it to disk immediately.
   */
  soon<T>(work: () => T): T;
  /** Writes the result of `soon` to disk. */
  flush(): void;
  close(): void;
}

export type EngineName = 'node:sqlite' | 'libsql';

/** What an engine must provide; everything else is built on it. */
export interface Connection {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}

export interface Engine {
  readonly name: EngineName;
  open(file: string): Connection;
  /** Of a file that exists; a statement that writes fails. */
  openReadOnly(file: string): Connection;
}
