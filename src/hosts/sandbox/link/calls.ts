/** The tool calls that are answered inside of one sandbox. */
import { Fault } from '../../../base/fault.ts';
import { BOUNDS } from '../../channel/bounds.ts';
import { expectThat } from '../../channel/breach.ts';
import { type FrameKind, LONGEST_VALUE } from '../../channel/frames.ts';
import { ValueReader } from '../../channel/long-message.ts';
import type { ToolCall, ToolResult } from '../../../wire/tool.ts';
import type { FrameSender } from '../../channel/sending.ts';
import { readToolResult } from './untrusted.ts';

/** Each may have a whole result under way. */
const MOST_AT_ONCE = BOUNDS.hostile.calls;

interface Pending {
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
  readonly #values = new ValueReader(BOUNDS.hostile);

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
      const pending: Pending = { resolve, reject, isAbandoned: false };
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
  receive(kind: FrameKind, id: number, bytes: Uint8Array): void {
    const pending = this.#pending.get(id);
    expectThat(pending !== undefined, 'the result of no call came out of it');
    const packed = this.#values.receive(kind, id, bytes);
    if (packed === undefined) return;
    // While it is read it is pending still: a result that is none ends the sandbox, and the call with it.
    if (!pending.isAbandoned) pending.resolve(readToolResult(packed));
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
