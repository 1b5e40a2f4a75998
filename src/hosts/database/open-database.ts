/** Opens the database in the state folder: private, durable, migrated to the newest schema, or a fault. */
import { chmodSync, closeSync, constants, lstatSync, openSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { errnoOf, reason } from '../files/faults.ts';
import { takeLocks } from '../files/locks/locks.ts';
import { makeFolder, whyUntrusted } from '../files/state-folder.ts';
import { GroupedDatabase } from './grouped-database.ts';
import { loadEngine } from './engines.ts';
import { databaseFault, newerStore, unsafeStore } from './faults.ts';
import type { Connection, Database, Engine, EngineName, Migrations } from './shape.ts';

const BUSY_MS = 5000;

export interface OpenOptions {
  readonly migrations: Migrations;
  /** Tables that are checked on open, so that damage is found before they are used. */
  readonly checked: readonly string[];
  /** Default: the engine of this Node. */
  readonly engine?: EngineName;
  /**
   * What a flushed transaction survives: a power failure (default), or the end of this process by any signal, which needs no
   * wait for the disk.
   */
  readonly survives?: 'power-failure' | 'process-end';
  /** Receives the fault of a flush that failed in the background. */
  readonly onTrouble?: (fault: unknown) => void;
}

export interface Opened {
  readonly database: Database;
  /** Where a damaged file was moved; the database is then a new, empty one. */
  readonly movedTo?: string;
}

export async function openDatabase(file: string, options: OpenOptions): Promise<Opened> {
  return openWith(await loadEngine(options.engine), file, options);
}

/** The same with an engine that is already loaded. */
export function openWith(engine: Engine, file: string, options: OpenOptions): Opened {
  prepareFile(file);
  try {
    return { database: connect(engine, file, options) };
  } catch (error) {
    if (!isDamage(error)) throw error;
  }
  // Under the lock, and only if it is still damaged: another process may have replaced it meanwhile.
  const lock = takeLocks([file], { stateDir: dirname(file), lockWaitMs: BUSY_MS });
  try {
    prepareFile(file);
    return { database: connect(engine, file, options) };
  } catch (error) {
    if (!isDamage(error)) throw error;
    const movedTo = moveAside(file, error);
    prepareFile(file);
    return { database: connect(engine, file, options), movedTo };
  } finally {
    lock.release();
  }
}

/**
 * Reads a database of this or an earlier version: creates nothing, migrates nothing, and moves nothing aside. Undefined where there
 * is no file, or an empty one.
 */
export async function readDatabase<T>(
  file: string,
  { migrations, engine }: Pick<OpenOptions, 'migrations' | 'engine'>,
  read: (database: Pick<Connection, 'prepare'>) => T,
): Promise<T | undefined> {
  if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return undefined;
  const loaded = await loadEngine(engine);
  let connection: Connection | undefined;
  try {
    connection = loaded.openReadOnly(file);
    connection.exec(`PRAGMA busy_timeout = ${BUSY_MS}`);
    const version = versionOf(connection);
    if (version > migrations.length) throw newerStore(file, version, migrations.length);
    return version === 0 ? undefined : read(connection);
  } catch (error) {
    throw databaseFault(error, file);
  } finally {
    connection?.close();
  }
}

function connect(engine: Engine, file: string, options: OpenOptions): Database {
  const { migrations, checked, survives = 'power-failure', onTrouble } = options;
  let connection: Connection | undefined;
  try {
    connection = engine.open(file);
    connection.exec(`PRAGMA busy_timeout = ${BUSY_MS}`);
    connection.prepare('PRAGMA journal_mode = WAL').all();
    connection.exec('PRAGMA synchronous = NORMAL'); // GroupedDatabase writes commits to the disk
    connection.exec('PRAGMA foreign_keys = ON');
    // Masked and removed data must not remain in free pages.
    connection.prepare('PRAGMA secure_delete = ON').all();
    writeLogBack(connection, file);
    const database = new GroupedDatabase(connection, { file, engine: engine.name, survives, onTrouble });
    migrate(database, migrations);
    for (const table of checked) check(database, table);
    return database;
  } catch (error) {
    connection?.close();
    throw databaseFault(error, file);
  }
}

/**
 * The log of an earlier process may contain commits that the disk has refused. The system reports that once, and later writes of the
 * log would not include them: a power failure would end the log there, and lose what follows. The database file is written anew.
 */
function writeLogBack(connection: Connection, file: string): void {
  try {
    connection.prepare('PRAGMA wal_checkpoint(PASSIVE)').all();
  } catch (error) {
    const fault = databaseFault(error, file);
    // What is stored can still be read, and each write reports the full disk.
    if (!(fault instanceof Fault) || fault.code !== 'APPROVAL_STORE_FULL') throw fault;
  }
}

function migrate(database: Database, migrations: Migrations): void {
  if (versionOf(database) > migrations.length) throw newerStore(database.file, versionOf(database), migrations.length);
  if (versionOf(database) === migrations.length) return;
  database.transaction(() => {
    // Read again under the write lock: two processes may open a new file at the same time.
    for (let version = versionOf(database); version < migrations.length; version++) {
      database.exec(migrations[version]!);
      database.exec(`PRAGMA user_version = ${version + 1}`);
    }
  });
}

function versionOf(database: Pick<Connection, 'prepare'>): number {
  return Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
}

function check(database: Database, table: string): void {
  const problems = database
    .prepare(`PRAGMA quick_check('${table}')`)
    .all()
    .map(({ quick_check: text }) => String(text));
  if (problems.length === 1 && problems[0] === 'ok') return;
  throw new Fault('APPROVAL_STORE_CORRUPT', `the approval store ${database.file} is damaged: ${problems[0] ?? ''}`);
}

function isDamage(error: unknown): boolean {
  return error instanceof Fault && error.code === 'APPROVAL_STORE_CORRUPT';
}

/** The log first: a file without its log is found damaged again, but a log without its file could be applied to a new one. */
function moveAside(file: string, why: unknown): string {
  const aside = `${file}.damaged-${new Date().toISOString().replaceAll(/[:.]/gu, '-')}`;
  try {
    for (const suffix of ['-wal', '-shm', '']) {
      if (lstatSync(file + suffix, { throwIfNoEntry: false }) !== undefined) renameSync(file + suffix, aside + suffix);
    }
  } catch (error) {
    throw new Fault('APPROVAL_STORE_CORRUPT', `${(why as Fault).message}; it cannot be moved aside: ${reason(error)}`, {
      hint: 'move the file aside, then run the command again',
      details: { file },
      cause: error,
    });
  }
  return aside;
}

/** Ensures that only this user can access the file and its folder, before the engine opens them by name. */
function prepareFile(file: string): void {
  const folder = dirname(file);
  try {
    makeFolder(folder);
    const problem = whyUntrusted(folder);
    if (problem !== undefined) throw unsafeStore(file, problem);
    for (const suffix of ['', '-wal', '-shm']) makePrivate(file + suffix, file);
    if (lstatSync(file, { throwIfNoEntry: false }) === undefined)
      closeSync(openSync(file, constants.O_CREAT | constants.O_RDWR | constants.O_NOFOLLOW, 0o600));
  } catch (error) {
    const code = errnoOf(error);
    if (code === undefined) throw error;
    const isFull = code === 'ENOSPC' || code === 'EDQUOT';
    throw new Fault(
      isFull ? 'APPROVAL_STORE_FULL' : 'APPROVAL_STORE_READONLY',
      `the approval store ${file} cannot be created: ${reason(error)}`,
      {
        hint: isFull
          ? 'free some disk space, then run the command again'
          : 'make the state folder writable for this user, or set PINCER_STATE_DIR to another folder',
        details: { file, errno: code },
        cause: error,
      },
    );
  }
}

function makePrivate(path: string, file: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return;
  if (stats.isSymbolicLink()) throw unsafeStore(file, `${path} is a symlink`);
  if (!stats.isFile()) throw unsafeStore(file, `${path} is not a regular file`);
  const user = process.geteuid?.();
  if (user === undefined) return;
  if (stats.uid !== user) throw unsafeStore(file, `${path} belongs to another user`);
  if ((stats.mode & 0o022) !== 0) throw unsafeStore(file, `other users can write to ${path}`);
  if ((stats.mode & 0o077) !== 0) chmodSync(path, 0o600);
}
