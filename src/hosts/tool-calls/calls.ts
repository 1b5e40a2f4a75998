/** The tool calls that are answered at the other end of one channel: in a sandbox, or on a node. */
import { Fault } from '../../base/fault.ts';
import type { ToolCall, ToolResult } from '../../wire/tool.ts';
import type { Channel } from '../channel/channel.ts';
import { LONGEST_VALUE } from '../channel/frames.ts';
import { readToolResult } from './untrusted-result.ts';

export interface CallsOptions {
  /** Called before a result is read; throws where none may come yet. */
  readonly accepting?: () => void;
  /** Each call may have a complete result in transit. Default: 8. */
  readonly mostAtOnce?: number;
}

export interface CallInTurn {
  readonly signal?: AbortSignal | undefined;
  /** Called when the call is sent; until then the other end knows nothing of it. */
  readonly onSent?: () => void;
}

/** The parameters of `tool.call`, which differ between a sandbox and a node. */
type SentCall = Pick<ToolCall, 'tool' | 'args'>;

const MOST_AT_ONCE = 8;

export class Calls {
  readonly #channel: Channel;
  readonly #accepting: () => void;
  readonly #mostAtOnce: number;
  #open = 0;
  readonly #queue: (() => void)[] = [];

  constructor(channel: Channel, { accepting = () => {}, mostAtOnce = MOST_AT_ONCE }: CallsOptions = {}) {
    this.#channel = channel;
    this.#accepting = accepting;
    this.#mostAtOnce = mostAtOnce;
    void channel.ended.then(() => {
      for (const wake of this.#queue.splice(0)) wake();
    });
  }

  async call(call: SentCall, options: CallInTurn = {}): Promise<ToolResult> {
    const { signal } = options;
    if (signal?.aborted === true) return aborted();
    const answer = this.#callInTurn(call, options);
    if (signal === undefined) return answer;
    return new Promise((resolve, reject) => {
      const abort = (): void => resolve(aborted());
      signal.addEventListener('abort', abort, { once: true });
      answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
    });
  }

  async #callInTurn(call: SentCall, options: CallInTurn): Promise<ToolResult> {
    while (this.#open >= this.#mostAtOnce && this.#channel.lost === undefined)
      await new Promise<void>((resolve) => this.#queue.push(resolve));
    this.#open++;
    try {
      return options.signal?.aborted === true ? aborted() : await this.#ask(call, options);
    } finally {
      this.#open--;
      this.#queue.shift()?.();
    }
  }

  async #ask(call: SentCall, { signal, onSent }: CallInTurn): Promise<ToolResult> {
    if (this.#channel.lost !== undefined) throw this.#channel.lost;
    try {
      onSent?.();
      const result = await this.#channel.call('tool.call', call, {
        signal,
        accept: (packed) => {
          this.#accepting();
          const { buffer, byteOffset, length } = packed as Uint8Array;
          return signal?.aborted === true ? aborted() : readToolResult(Buffer.from(buffer, byteOffset, length));
        },
      });
      return result as ToolResult;
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== 'GATEWAY_TOO_LARGE') throw error;
      throw callTooLong(call.tool, LONGEST_VALUE);
    }
  }
}

export function callTooLong(tool: string, mostBytes: number): Fault {
  return new Fault('PARAM_INVALID', `${tool}: the parameters are too long for one call`, {
    hint: `send at most ${mostBytes} bytes in one call`,
  });
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
