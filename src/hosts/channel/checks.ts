/** Checks what comes in against the methods that the other end may use. */
import { Mismatch } from '../../wire/mismatch.ts';
import { check, type Schema } from '../../wire/schema.ts';
import { Breach, expectThat } from './breach.ts';

/** What the other end may send for a method: `params` with its own calls, `event` and `result` with those of this end. */
export interface MethodShape {
  readonly params?: Schema<unknown>;
  readonly event?: Schema<unknown>;
  readonly result?: Schema<unknown>;
}

export type MethodShapes = Readonly<Record<string, MethodShape>>;

export class Checks {
  readonly #methods: MethodShapes | undefined;

  /** Without methods nothing is checked. */
  constructor(methods: MethodShapes | undefined) {
    this.#methods = methods;
  }

  /** Anything that is not in the table is a protocol violation: pings, heartbeats and faults, too. */
  get isStrict(): boolean {
    return this.#methods !== undefined;
  }

  /** The value, rebuilt from what its schema knows. */
  read(method: string, part: keyof MethodShape, value: unknown): unknown {
    const methods = this.#methods;
    if (methods === undefined) return value;
    const schema = Object.hasOwn(methods, method) ? methods[method]?.[part] : undefined;
    expectThat(schema !== undefined, `${part} of ${JSON.stringify(method.slice(0, 64))}, which has none`);
    try {
      return check(schema, value, `${method} ${part}`);
    } catch (error) {
      if (error instanceof Mismatch) throw new Breach(`${error.place} must be ${error.expected}`);
      throw error;
    }
  }
}
