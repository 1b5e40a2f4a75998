/** Checks what the other end sends against a table of methods. */
import { Fault } from '../../base/fault.ts';
import { Mismatch } from '../../wire/mismatch.ts';
import { check, type Schema } from '../../wire/schema.ts';
import type { Trust } from './bounds.ts';
import { ProtocolViolation, expectThat } from './protocol-violation.ts';

/** What the other end may send for a method: `params` of its own calls, `event` and `result` of this end's calls. */
export interface MethodShape {
  readonly params?: Schema<unknown>;
  readonly event?: Schema<unknown>;
  readonly result?: Schema<unknown>;
}

export type MethodShapes = Readonly<Record<string, MethodShape>>;

/** Of a method's name in messages. */
const LONGEST_NAME = 64;

export class MethodChecks {
  readonly #methods: MethodShapes | undefined;
  /** Everything outside of the table is a protocol violation: pings, heartbeats and faults, too. */
  readonly isStrict: boolean;

  /** Without a table nothing is checked. */
  constructor(methods: MethodShapes | undefined, trust: Trust) {
    this.#methods = methods;
    this.isStrict = methods !== undefined && trust === 'hostile';
  }

  /** Checks a call. A paired machine may be of another version, so its unknown methods and parameters end only the call. */
  readParams(method: string, params: unknown): { readonly params: unknown } | Fault {
    if (this.isStrict || this.#methods === undefined) return { params: this.read(method, 'params', params) };
    const schema = this.#schema(method, 'params');
    if (schema === undefined) return refusedMethod(method);
    try {
      return { params: check(schema, params, 'params') };
    } catch (error) {
      if (!(error instanceof Mismatch)) throw error;
      return new Fault('GATEWAY_BAD_REQUEST', `${method}: ${error.message}`, { hint: UPDATE });
    }
  }

  /** The value, rebuilt from what its schema knows. */
  read(method: string, part: keyof MethodShape, value: unknown): unknown {
    if (this.#methods === undefined) return value;
    const schema = this.#schema(method, part);
    expectThat(schema !== undefined, `unexpected ${part} of ${JSON.stringify(method.slice(0, LONGEST_NAME))}`);
    try {
      return check(schema, value, `${method} ${part}`);
    } catch (error) {
      if (error instanceof Mismatch) throw new ProtocolViolation(`${error.place} must be ${error.expected}`);
      throw error;
    }
  }

  #schema(method: string, part: keyof MethodShape): Schema<unknown> | undefined {
    const methods = this.#methods ?? {};
    return Object.hasOwn(methods, method) ? methods[method]?.[part] : undefined;
  }
}

const UPDATE = 'update pincer on the older one of the two machines';

function refusedMethod(method: string): Fault {
  const name = JSON.stringify(method.slice(0, LONGEST_NAME));
  return new Fault('NODE_METHOD_REFUSED', `the other machine may not call ${name}`, { hint: UPDATE });
}
