/** Sessions whose client waits for them at the gateway. Without a follower they end after a while. */
export class AttachedSessions {
  readonly #ms: number;
  readonly #end: (session: string) => void;
  readonly #sessions = new Map<string, { followers: number; timer: NodeJS.Timeout | undefined }>();

  /** `end` is called with the id of a session that had no follower for `ms`. */
  constructor(ms: number, end: (session: string) => void) {
    this.#ms = ms;
    this.#end = end;
  }

  add(session: string): void {
    this.#sessions.set(session, { followers: 0, timer: this.#timer(session) });
  }

  has(session: string): boolean {
    return this.#sessions.has(session);
  }

  follow(session: string): void {
    const found = this.#sessions.get(session);
    if (found === undefined) return;
    clearTimeout(found.timer);
    found.followers++;
  }

  unfollow(session: string): void {
    const found = this.#sessions.get(session);
    if (found === undefined || --found.followers > 0) return;
    found.timer = this.#timer(session);
  }

  delete(session: string): void {
    clearTimeout(this.#sessions.get(session)?.timer);
    this.#sessions.delete(session);
  }

  close(): void {
    for (const { timer } of this.#sessions.values()) clearTimeout(timer);
    this.#sessions.clear();
  }

  #timer(session: string): NodeJS.Timeout {
    return setTimeout(() => {
      this.#sessions.delete(session);
      this.#end(session);
    }, this.#ms);
  }
}
