/** The author of an action: an agent and its client. Every record has both. */
import type { Actor } from './caller.ts';
import { UNKNOWN_CLIENT } from './client-name.ts';

export type { Actor };

export const DEFAULT_AGENT = 'main';

/** Drops all other members. */
export function actorOf({ agent, client, conversation }: Actor): Actor {
  return {
    agent,
    ...(client === undefined ? {} : { client }),
    ...(conversation === undefined ? {} : { conversation }),
  };
}

/** `claude-code`, or `claude-code (reviewer)` for an agent other than the default. */
export function actorText({ agent, client = UNKNOWN_CLIENT }: Actor): string {
  return agent === DEFAULT_AGENT ? client : `${client} (${agent})`;
}

/** A record without a client belongs to `unknown`. */
export function isOfClient({ client = UNKNOWN_CLIENT }: Pick<Actor, 'client'>, wanted: string): boolean {
  return client === wanted;
}
