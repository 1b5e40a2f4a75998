/** For commands that only look: they start no daemon for nothing. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { stateFolder } from '../../config/state.ts';
import type { Client } from '../client/socket.ts';
import { withGateway } from './gateway.ts';

/** What a command looks at, and where a daemon that has ended or died keeps it. */
type RecordKind = 'sessions' | 'records';

/**
 * Does something with the daemon that runs. Where none does, one is started only if an earlier one has left what the command
 * looks at; undefined when there is nothing to look at.
 */
export async function ifRecorded<T>(kept: RecordKind, work: (client: Client) => Promise<T>): Promise<T | undefined> {
  try {
    return await withGateway(work, hasRecords(kept));
  } catch (error) {
    if (error instanceof Fault && error.code === 'GATEWAY_NOT_RUNNING') return undefined;
    throw error;
  }
}

/** The same for a command that is about certain sessions. */
export async function withSessions<T>(ids: readonly string[], work: (client: Client) => Promise<T>): Promise<T> {
  const result = await ifRecorded('sessions', async (client) => ({ value: await work(client) }));
  if (result !== undefined) return result.value;
  throw new Fault('EXEC_SESSION_UNKNOWN', `there is no session ${JSON.stringify(ids[0])}: no daemon is running`, {
    hint: 'pincer exec starts a session; pincer ps --all shows those that there are',
  });
}

function hasRecords(kept: RecordKind): boolean {
  if (kept === 'records') return existsSync(join(stateFolder(), 'gateway.db'));
  const folder = join(stateFolder(), 'sessions');
  return existsSync(folder) && readdirSync(folder).length > 0;
}
