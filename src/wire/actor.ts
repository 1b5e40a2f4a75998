/** Who did something: an agent, through a client. Every record keeps both. */
import type { Actor } from './caller.ts';
import { UNKNOWN_CLIENT } from './client-name.ts';

export type { Actor };

/** The agent where none is named. */
export const DEFAULT_AGENT = 'main';

/** Only the members that say who acted. */
export function actorOf({ agent, client, conversation }: Actor): Actor {
  return {
    agent,
    ...(client === undefined ? {} : { client }),
    ...(conversation === undefined ? {} : { conversation }),
  };
}

/** The client first: `claude-code`, or `claude-code (reviewer)` for another agent than the default one. */
export function actorText({ agent, client = UNKNOWN_CLIENT }: Actor): string {
  return agent === DEFAULT_AGENT ? client : `${client} (${agent})`;
}

/** Whether a record is of this client; a record without a client is of `unknown`. */
export function isOfClient({ client = UNKNOWN_CLIENT }: Pick<Actor, 'client'>, wanted: string): boolean {
  return client === wanted;
}
