/** The two engines: the one that Node has from 22.13 on, and the package `libsql` for older ones. */
import type Libsql from 'libsql';
import { Fault } from '../../base/fault.ts';
import type { Connection, Engine, EngineName, Row, Statement, Value } from './shape.ts';

/** The part of `node:sqlite` that is used; the types of the oldest Node that is supported do not know the module. */
interface NodeSqlite {
  readonly DatabaseSync: new (
    file: string,
  ) => {
    exec(sql: string): void;
    prepare(sql: string): {
      get(...values: Value[]): Row | undefined;
      all(...values: Value[]): Row[];
      run(...values: Value[]): { changes: number | bigint; lastInsertRowid: number | bigint };
    };
    close(): void;
  };
}

/** The engine of this Node, or the one that is asked for. */
export async function loadEngine(name?: EngineName): Promise<Engine> {
  const builtIn = name === 'libsql' ? undefined : nodeSqlite();
  if (builtIn !== undefined) return builtIn;
  if (name === 'node:sqlite') throw unavailable('this Node has no module node:sqlite');
  return loadLibsql();
}

function nodeSqlite(): Engine | undefined {
  const sqlite = quietly(() => process.getBuiltinModule('node:sqlite') as NodeSqlite | undefined);
  if (sqlite === undefined) return undefined;
  return { name: 'node:sqlite', open: (file) => overNode(new sqlite.DatabaseSync(file)) };
}

/** Loads the module without its one warning that it is experimental; every other warning passes. */
function quietly<T>(load: () => T): T {
  const own = Object.getOwnPropertyDescriptor(process, 'emitWarning');
  if (own === undefined) return load();
  const filtered = (...args: readonly unknown[]): void => {
    const [warning, kind] = args;
    const type = typeof kind === 'object' && kind !== null ? (kind as { type?: unknown }).type : kind;
    if (type === 'ExperimentalWarning' && String(warning).includes('SQLite')) return;
    Reflect.apply(own.value as (...all: unknown[]) => void, process, args);
  };
  Object.defineProperty(process, 'emitWarning', { ...own, value: filtered });
  try {
    return load();
  } finally {
    Object.defineProperty(process, 'emitWarning', own);
  }
}

function overNode(database: InstanceType<NodeSqlite['DatabaseSync']>): Connection {
  return {
    exec: (sql) => database.exec(sql),
    prepare: (sql) => {
      const statement = database.prepare(sql);
      return {
        get: (...values) => plain(statement.get(...values)),
        all: (...values) => statement.all(...values).map((row) => ({ ...row })),
        run: (...values) => {
          const { changes, lastInsertRowid } = statement.run(...values);
          return { changes: Number(changes), lastId: Number(lastInsertRowid) };
        },
      };
    },
    close: () => database.close(),
  };
}

/** A row of `node:sqlite` has no prototype, which comparisons would see. */
function plain(row: Row | undefined): Row | undefined {
  return row === undefined ? undefined : { ...row };
}

async function loadLibsql(): Promise<Engine> {
  let Database: typeof Libsql;
  try {
    Database = (await import('libsql')).default;
  } catch (error) {
    throw unavailable('this Node has no module node:sqlite, and the package libsql is not installed', error);
  }
  return { name: 'libsql', open: (file) => overLibsql(new Database(file)) };
}

function overLibsql(database: InstanceType<typeof Libsql>): Connection {
  return {
    exec: (sql) => {
      database.exec(sql);
    },
    prepare: (sql): Statement => {
      const statement = database.prepare(sql);
      const all = (values: readonly Value[]): Row[] => statement.all([...values]) as Row[];
      return {
        // Its own `get` leaves the statement in the middle of the rows, and with it a reader's lock.
        get: (...values) => all(values)[0],
        all: (...values) => all(values),
        run: (...values) => {
          const { changes, lastInsertRowid } = statement.run([...values]);
          return { changes, lastId: Number(lastInsertRowid) };
        },
      };
    },
    close: () => {
      database.close();
    },
  };
}

function unavailable(why: string, cause?: unknown): Fault {
  return new Fault('APPROVAL_STORE_UNAVAILABLE', `approvals cannot be kept: ${why}`, {
    hint: 'use Node 22.13 or newer, or run npm install libsql where pincer is installed',
    cause,
  });
}
