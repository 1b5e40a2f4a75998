/** THE SHAPE of the embedded database: small, synchronous, the same over both engines. */

/** A text holds no NUL: one of the engines ends it there. JSON has none. */
export type Value = string | number | null;
export type Row = Readonly<Record<string, Value>>;

export interface Statement {
  get(...values: readonly Value[]): Row | undefined;
  all(...values: readonly Value[]): readonly Row[];
  run(...values: readonly Value[]): { readonly changes: number; readonly lastId: number };
}

/** What the schema becomes, step by step: the step at index n takes a file from version n to n + 1. */
export type Migrations = readonly string[];

export interface Database {
  readonly file: string;
  readonly engine: EngineName;
  exec(sql: string): void;
  /** Kept for the life of the database: the same text is compiled once. */
  prepare(sql: string): Statement;
  /** Runs the work whole or not at all; what it wrote is on the disk when this returns. */
  transaction<T>(work: () => T): T;
  /**
   * Runs the work whole or not at all, and has it flushed together with whatever else comes in this turn of the event
   * loop: many small writes pay for one flush. `flush` and `transaction` bring it to the disk at once.
   */
  soon<T>(work: () => T): T;
  /** Brings what `soon` wrote to the disk. */
  flush(): void;
  close(): void;
}

export type EngineName = 'node:sqlite' | 'libsql';

/** What an engine must do; everything else is written once, over this. */
export interface Connection {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}

export interface Engine {
  readonly name: EngineName;
  open(file: string): Connection;
}
