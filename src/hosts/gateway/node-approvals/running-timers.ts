/** One timer for each session whose approved command is reported as running when it takes long. */
export class RunningTimers {
  readonly #timers = new Map<string, NodeJS.Timeout>();

  start(sessionId: string, ms: number, report: () => void): void {
    this.stop(sessionId);
    const timer = setTimeout(() => {
      this.#timers.delete(sessionId);
      report();
    }, ms);
    this.#timers.set(sessionId, timer.unref());
  }

  stop(sessionId: string): void {
    clearTimeout(this.#timers.get(sessionId));
    this.#timers.delete(sessionId);
  }

  close(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
  }
}
