/** The sessions that one page has asked to type into. They are released when the page is gone. */
import { randomUUID } from 'node:crypto';
import type { Caller } from '../../../../wire/exec.ts';
import type { Gateway } from '../../../../wire/methods.ts';
import { ifKnown } from '../if-known.ts';

export class ControlledSessions {
  /** The connection, as the typist of sessions. */
  readonly typist = randomUUID();
  readonly #ids = new Set<string>();

  add(sessionId: string): void {
    this.#ids.add(sessionId);
  }

  /** Releases the control of all sessions of this connection. */
  async release(gateway: () => Promise<Gateway>, caller: Caller, by: string): Promise<void> {
    if (this.#ids.size === 0) return;
    const sessions = [...this.#ids];
    this.#ids.clear();
    const daemon = await gateway();
    const { typist } = this;
    for (const sessionId of sessions)
      await ifKnown(daemon.call('session.control', { caller, sessionId, typist, by, take: false }));
  }
}
