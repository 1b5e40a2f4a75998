import { controlNeeded } from '../faults.ts';
import type { Controller } from '../../../wire/sessions/typing.ts';

/** Who types into a session through the control page: one person at a time, each identified by a connection. */
export class SessionControl {
  readonly #id: string;
  readonly #now: () => number;
  #typist: string | undefined;
  #controller: Controller | undefined;

  constructor(id: string, now: () => number) {
    this.#id = id;
    this.#now = now;
  }

  get controller(): Controller | undefined {
    return this.#controller;
  }

  /** Whether the typist has the control now. */
  take(typist: string, by: string): boolean {
    if (this.#typist === undefined) {
      this.#typist = typist;
      this.#controller = { by, since: this.#now() };
    }
    return this.#typist === typist;
  }

  /** Whether the typist had the control. */
  release(typist: string): boolean {
    if (this.#typist !== typist) return false;
    this.#typist = undefined;
    this.#controller = undefined;
    return true;
  }

  /** Throws where the typist does not have the control. */
  check(typist: string | undefined): void {
    if (typist !== undefined && typist !== this.#typist) throw controlNeeded(this.#id, this.#controller);
  }
}
