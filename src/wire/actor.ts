/** The author of an action: an agent and its client. Every record has both. */
import type { Actor } from './caller.ts';
import { OWN_CLIENT, UNKNOWN_CLIENT } from './client-name.ts';

export type { Actor };

export const DEFAULT_AGENT = 'main';
/** The agent of a record that concerns the machine. No caller has this name. */
export const ALL_AGENTS = '*';

/** The author of records that Pincer makes about the machine. */
export const OWN_ACTOR: Actor = { agent: ALL_AGENTS, client: OWN_CLIENT };

/** Drops all other members. */
export function actorOf({ agent, client, conversation }: Actor): Actor {
  return {
    agent,
    ...(client === undefined ? {} : { client }),
    ...(conversation === undefined ? {} : { conversation }),
  };
}

/** `claude-code`, or `claude-code (reviewer)` for an agent other than the default; without an agent, it concerns all. */
export function actorText({ agent, client = UNKNOWN_CLIENT }: Actor): string {
  return agent === DEFAULT_AGENT || agent === ALL_AGENTS ? client : `${client} (${agent})`;
}

/** A record without a client belongs to `unknown`. */
export function isOfClient({ client = UNKNOWN_CLIENT }: Pick<Actor, 'client'>, wanted: string): boolean {
  return client === wanted;
}
