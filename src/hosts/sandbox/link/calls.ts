/** The tool calls that are answered inside of one sandbox. */
import { Fault } from '../../../base/fault.ts';
import type { ToolCall, ToolResult } from '../../../wire/tool.ts';
import type { Channel } from '../../channel/channel.ts';
import { LONGEST_VALUE } from '../../channel/frames.ts';
import { readToolResult } from './untrusted.ts';

/** Each may have a complete result in transit. */
const MOST_AT_ONCE = 8;

export class Calls {
  readonly #channel: Channel;
  readonly #expectReady: () => void;
  #open = 0;
  readonly #queue: (() => void)[] = [];

  constructor(channel: Channel, expectReady: () => void) {
    this.#channel = channel;
    this.#expectReady = expectReady;
    void channel.ended.then(() => {
      for (const wake of this.#queue.splice(0)) wake();
    });
  }

  async call(call: ToolCall, signal?: AbortSignal): Promise<ToolResult> {
    if (signal?.aborted === true) return aborted();
    const answer = this.#callInTurn(call, signal);
    if (signal === undefined) return answer;
    return new Promise((resolve, reject) => {
      const abort = (): void => resolve(aborted());
      signal.addEventListener('abort', abort, { once: true });
      answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
    });
  }

  async #callInTurn(call: ToolCall, signal: AbortSignal | undefined): Promise<ToolResult> {
    while (this.#open >= MOST_AT_ONCE && this.#channel.lost === undefined)
      await new Promise<void>((resolve) => this.#queue.push(resolve));
    this.#open++;
    try {
      return signal?.aborted === true ? aborted() : await this.#ask(call, signal);
    } finally {
      this.#open--;
      this.#queue.shift()?.();
    }
  }

  async #ask(call: ToolCall, signal: AbortSignal | undefined): Promise<ToolResult> {
    try {
      const result = await this.#channel.call('tool.call', call, {
        signal,
        accept: (packed) => {
          this.#expectReady();
          const { buffer, byteOffset, length } = packed as Uint8Array;
          return signal?.aborted === true ? aborted() : readToolResult(Buffer.from(buffer, byteOffset, length));
        },
      });
      return result as ToolResult;
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== 'GATEWAY_TOO_LARGE') throw error;
      throw new Fault('PARAM_INVALID', `${call.tool}: the parameters are too long for one call`, {
        hint: `send at most ${LONGEST_VALUE} bytes in one call`,
      });
    }
  }
}

/** The same result as on this machine. The tool may have changed something by then. */
function aborted(): ToolResult {
  return {
    content: [{ type: 'text', text: 'Aborted' }],
    details: { code: 'TOOL_ABORTED', name: 'AbortError' },
    isError: true,
    error: 'Aborted',
  };
}
