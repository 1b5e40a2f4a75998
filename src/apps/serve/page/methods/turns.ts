import { setImmediate } from 'node:timers/promises';

/** Work under one name runs one after the other, in the order of its start. Other names and sockets have their turn in between. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  async run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const next = async (): Promise<T> => {
      await setImmediate();
      return work();
    };
    const own = (this.#last.get(name) ?? Promise.resolve()).then(next, next);
    this.#last.set(name, own);
    try {
      return await own;
    } finally {
      if (this.#last.get(name) === own) this.#last.delete(name);
    }
  }
}
