/** Connects commands to the daemon of the state folder. */
import { commandLineAuthor } from '../../config/agent.ts';
import { stateFolder } from '../../config/state.ts';
import type { Caller } from '../../wire/exec.ts';
import { connectGateway, type ConnectOptions } from '../client/connect.ts';
import type { Client } from '../client/socket.ts';
import { ownProgram } from './own-program.ts';

/** Connects to the daemon. By default it starts one from this program if none runs. */
/** Bytes of a list of approvals: half of what an answer of the daemon may have. */
export const MOST_LISTED_BYTES = 16 * 1024 * 1024;

export function openGateway(start = true, options: Pick<ConnectOptions, 'silenceMs'> = {}): Promise<Client> {
  const program = ownProgram();
  return connectGateway({ stateDir: stateFolder(), start, ...(program === undefined ? {} : { program }), ...options });
}

export function operatorCaller(agent?: string, conversation?: string): Caller {
  return { ...commandLineAuthor(agent), operator: true, ...(conversation === undefined ? {} : { conversation }) };
}

/** Calls the daemon, and closes the connection. */
export async function withGateway<T>(work: (client: Client) => Promise<T>, start = true): Promise<T> {
  const client = await openGateway(start);
  try {
    return await work(client);
  } finally {
    client.close();
  }
}
