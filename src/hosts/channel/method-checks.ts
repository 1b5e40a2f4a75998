/** Checks what the other end sends against a table of methods. */
import { Mismatch } from '../../wire/mismatch.ts';
import { check, type Schema } from '../../wire/schema.ts';
import { ProtocolViolation, expectThat } from './protocol-violation.ts';

/** What the other end may send for a method: `params` of its own calls, `event` and `result` of this end's calls. */
export interface MethodShape {
  readonly params?: Schema<unknown>;
  readonly event?: Schema<unknown>;
  readonly result?: Schema<unknown>;
}

export type MethodShapes = Readonly<Record<string, MethodShape>>;

export class MethodChecks {
  readonly #methods: MethodShapes | undefined;

  /** Without a table nothing is checked. */
  constructor(methods: MethodShapes | undefined) {
    this.#methods = methods;
  }

  /** Then pings, faults, and heartbeats after the first message are protocol violations, too. */
  get isStrict(): boolean {
    return this.#methods !== undefined;
  }

  /** The value, rebuilt from what its schema knows. */
  read(method: string, part: keyof MethodShape, value: unknown): unknown {
    const methods = this.#methods;
    if (methods === undefined) return value;
    const schema = Object.hasOwn(methods, method) ? methods[method]?.[part] : undefined;
    expectThat(schema !== undefined, `unexpected ${part} of ${JSON.stringify(method.slice(0, 64))}`);
    try {
      return check(schema, value, `${method} ${part}`);
    } catch (error) {
      if (error instanceof Mismatch) throw new ProtocolViolation(`${error.place} must be ${error.expected}`);
      throw error;
    }
  }
}
