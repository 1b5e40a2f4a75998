/** For commands that only read: they do not start a daemon without need. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { stateFolder } from '../../config/state.ts';
import type { Client } from '../client/socket.ts';
import { withGateway } from './gateway.ts';

/** Calls the daemon; undefined if none runs. */
export async function ifRunning<T>(work: (client: Client) => Promise<T>, start = false): Promise<T | undefined> {
  try {
    return await withGateway(work, start);
  } catch (error) {
    if (error instanceof Fault && error.code === 'GATEWAY_NOT_RUNNING') return undefined;
    throw error;
  }
}

/** What an ended daemon leaves in the state folder. */
type RecordKind = 'sessions' | 'records';

/** Calls the daemon, and starts one if an earlier daemon left such records; undefined if there is nothing to read. */
export function ifRecorded<T>(kind: RecordKind, work: (client: Client) => Promise<T>): Promise<T | undefined> {
  return ifRunning(work, hasRecords(kind));
}

export async function withSessions<T>(ids: readonly string[], work: (client: Client) => Promise<T>): Promise<T> {
  const result = await ifRecorded('sessions', async (client) => ({ value: await work(client) }));
  if (result !== undefined) return result.value;
  throw new Fault('EXEC_SESSION_UNKNOWN', `there is no session ${JSON.stringify(ids[0])}: no daemon is running`, {
    hint: 'pincer exec starts a session; pincer ps --all lists all sessions',
  });
}

function hasRecords(kind: RecordKind): boolean {
  if (kind === 'records') return existsSync(join(stateFolder(), 'gateway.db'));
  const folder = join(stateFolder(), 'sessions');
  return existsSync(folder) && readdirSync(folder).length > 0;
}
