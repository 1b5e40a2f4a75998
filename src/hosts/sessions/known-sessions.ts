/** The sessions of one process, by id and by agent, so that a request of one agent does not scan those of others. */
import type { LiveSession } from './session.ts';

export class KnownSessions {
  readonly #byId = new Map<string, LiveSession>();
  readonly #byAgent = new Map<string, Set<LiveSession>>();

  add(session: LiveSession): void {
    const { agent } = session.caller;
    this.#byId.set(session.id, session);
    const own = this.#byAgent.get(agent);
    if (own === undefined) this.#byAgent.set(agent, new Set([session]));
    else own.add(session);
  }

  delete(session: LiveSession): void {
    const { agent } = session.caller;
    this.#byId.delete(session.id);
    const own = this.#byAgent.get(agent);
    own?.delete(session);
    if (own?.size === 0) this.#byAgent.delete(agent);
  }

  get(id: string): LiveSession | undefined {
    return this.#byId.get(id);
  }

  /** The oldest first. */
  all(): LiveSession[] {
    return [...this.#byId.values()];
  }

  agents(): string[] {
    return [...this.#byAgent.keys()];
  }

  /** The oldest first. */
  of(agent: string): LiveSession[] {
    return [...(this.#byAgent.get(agent) ?? [])];
  }
}
