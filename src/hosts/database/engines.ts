/** The two engines: `node:sqlite` (Node 22.13 and newer), and the package `libsql` for older ones. */
import { pathToFileURL } from 'node:url';
import type Libsql from 'libsql';
import { Fault } from '../../base/fault.ts';
import type { Connection, Engine, EngineName, Row, Statement, Value } from './shape.ts';

/** The used part of `node:sqlite`; the types of the oldest supported Node lack the module. */
interface NodeSqlite {
  readonly DatabaseSync: new (
    file: string,
    options?: { readonly readOnly: boolean },
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

/** The engine of this Node, or the requested one. */
export async function loadEngine(name?: EngineName): Promise<Engine> {
  const builtIn = name === 'libsql' ? undefined : nodeSqlite();
  if (builtIn !== undefined) return builtIn;
  if (name === 'node:sqlite') throw unavailable('this Node has no module node:sqlite');
  return loadLibsql();
}

function nodeSqlite(): Engine | undefined {
  const sqlite = withoutSqliteWarning(() => process.getBuiltinModule('node:sqlite') as NodeSqlite | undefined);
  if (sqlite === undefined) return undefined;
  return {
    name: 'node:sqlite',
    open: (file) => nodeConnection(new sqlite.DatabaseSync(file)),
    openReadOnly: (file) => nodeConnection(new sqlite.DatabaseSync(file, { readOnly: true })),
  };
}

/** Suppresses only the experimental warning of SQLite. */
function withoutSqliteWarning<T>(load: () => T): T {
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

function nodeConnection(database: InstanceType<NodeSqlite['DatabaseSync']>): Connection {
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

/** Rows of `node:sqlite` have no prototype, which would affect comparisons. */
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
  return {
    name: 'libsql',
    open: (file) => libsqlConnection(new Database(file)),
    // It ignores the option `readonly`.
    openReadOnly: (file) => libsqlConnection(new Database(`${pathToFileURL(file).href}?mode=ro`)),
  };
}

function libsqlConnection(database: InstanceType<typeof Libsql>): Connection {
  return {
    exec: (sql) => {
      database.exec(sql);
    },
    prepare: (sql): Statement => {
      const statement = database.prepare(sql);
      const all = (values: readonly Value[]): Row[] => statement.all([...values]) as Row[];
      return {
        // Its own `get` does not finish the statement, which keeps a read lock.
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
  return new Fault('APPROVAL_STORE_UNAVAILABLE', `approvals cannot be stored: ${why}`, {
    hint: 'use Node 22.13 or newer, or run npm install libsql where pincer is installed',
    cause,
  });
}
