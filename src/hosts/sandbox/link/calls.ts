/** The tool calls that are answered inside of one sandbox. */
import { Fault } from '../../../base/fault.ts';
import { expectThat } from '../../channel/breach.ts';
import { LONGEST_PART, LONGEST_VALUE } from '../../channel/frames.ts';
import type { ToolCall, ToolResult } from '../../../wire/tool.ts';
import type { FrameSender } from '../../channel/sending.ts';
import { readToolResult } from './untrusted.ts';

/** Of which each may have a whole result under way. */
const MOST_AT_ONCE = 8;

interface Pending {
  readonly parts: Buffer[];
  bytes: number;
  readonly resolve: (answer: ToolResult) => void;
  readonly reject: (fault: Fault) => void;
  /** Nobody waits for it any more. */
  isAbandoned: boolean;
}

export interface CallsOptions {
  readonly sender: FrameSender;
  readonly nextId: () => number;
  readonly over: () => Fault | undefined;
}

export class Calls {
  readonly #options: CallsOptions;
  readonly #pending = new Map<number, Pending>();
  readonly #queue: (() => void)[] = [];

  constructor(options: CallsOptions) {
    this.#options = options;
  }

  async call(call: ToolCall, signal?: AbortSignal): Promise<ToolResult> {
    const { nextId, over, sender } = this.#options;
    const payload = Buffer.from(JSON.stringify(call));
    if (payload.length > LONGEST_VALUE)
      throw new Fault(
        'PARAM_INVALID',
        `${call.tool}: the parameters have ${payload.length} bytes, too many for one call`,
        {
          hint: `send at most ${LONGEST_VALUE} bytes at once`,
        },
      );
    while (this.#pending.size >= MOST_AT_ONCE && over() === undefined)
      await new Promise<void>((resolve) => this.#queue.push(resolve));
    const fault = over();
    if (fault !== undefined) throw fault;
    if (signal?.aborted === true) return aborted();
    const id = nextId();
    return await new Promise<ToolResult>((resolve, reject) => {
      const pending: Pending = { parts: [], bytes: 0, resolve, reject, isAbandoned: false };
      this.#pending.set(id, pending);
      signal?.addEventListener(
        'abort',
        () => {
          if (!this.#pending.has(id) || pending.isAbandoned) return;
          pending.isAbandoned = true;
          sender.message(id, { type: 'abort' });
          resolve(aborted());
        },
        { once: true },
      );
      void sender.value(id, payload);
    });
  }

  /** A part of a result has come; the last one answers the call. */
  receive(id: number, bytes: Uint8Array, isLast: boolean): void {
    const pending = this.#pending.get(id);
    expectThat(pending !== undefined, 'the result of no call came out of it');
    // Each is kept by itself, and a small one costs much more than it has.
    expectThat(isLast || bytes.length === LONGEST_PART, 'a part that is not whole came out of it');
    pending.bytes += bytes.length;
    expectThat(pending.bytes <= LONGEST_VALUE, 'a result without bounds came out of it');
    if (!pending.isAbandoned) pending.parts.push(Buffer.from(bytes));
    if (!isLast) return;
    // While it is read it is pending still: a result that is none ends the sandbox, and the call with it.
    if (!pending.isAbandoned) pending.resolve(readToolResult(Buffer.concat(pending.parts)));
    this.#pending.delete(id);
    this.#queue.shift()?.();
  }

  /** The sandbox is gone. */
  loseAll(fault: Fault): void {
    for (const { reject } of this.#pending.values()) reject(fault);
    this.#pending.clear();
    for (const next of this.#queue.splice(0)) next();
  }
}

/** As a call that was stopped answers on this machine, too; whether something was changed by then is not known. */
function aborted(): ToolResult {
  return {
    content: [{ type: 'text', text: 'Aborted' }],
    details: { code: 'TOOL_ABORTED', name: 'AbortError' },
    isError: true,
    error: 'Aborted',
  };
}
