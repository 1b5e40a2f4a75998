/** What a toolbox runs commands through: the daemon of its state folder, unless a program brings its own gateway. */
import { Fault } from '../base/fault.ts';
import { stateFolder } from '../config/state.ts';
import { isToolAllowed, type ToolPolicy } from '../config/tool-policy.ts';
import type { RunningContext } from '../tools/tool.ts';
import type { Gateway } from '../wire/methods.ts';
import { type AuthorOptions, authorOf } from './author.ts';
import { once } from './once.ts';

interface RunningOptions extends AuthorOptions {
  readonly stateDir?: string;
  readonly gateway?: () => Promise<Gateway>;
  readonly environment?: Readonly<Record<string, string>>;
  readonly tools?: ToolPolicy;
  readonly restrictions?: Readonly<Record<string, unknown>>;
}

/** Who runs commands, and through what. */
export function runningOf(options: RunningOptions): RunningContext {
  const connect =
    options.gateway ?? (() => openGateway(options.stateDir === undefined ? {} : { stateDir: options.stateDir }));
  return {
    gateway: lastingGateway(connect),
    caller: authorOf(options),
    environment: options.environment ?? (process.env as Readonly<Record<string, string>>),
    ...(options.restrictions === undefined ? {} : { restrictions: options.restrictions }),
    processAllowed: isToolAllowed(options.tools ?? {}, 'process'),
  };
}

/** A gateway that can be let go of. */
export interface OpenGateway extends Gateway {
  /** False when the connection has ended: whoever comes next needs another. */
  readonly isOpen: boolean;
  close(): void;
}

/**
 * The daemon of a state folder, which holds sessions, approvals and notices; started when none runs. For programs that
 * pass on notices and put approvals to people; a toolbox finds its own way.
 */
export async function openGateway({
  stateDir = stateFolder(),
}: {
  readonly stateDir?: string;
} = {}): Promise<OpenGateway> {
  return (await import('./client/connect.ts')).connectGateway({ stateDir });
}

/** What a daemon that leaves or has left answers. */
const GONE: ReadonlySet<string> = /* @__PURE__ */ new Set(['GATEWAY_LOST', 'EXEC_CLOSING']);

/** Connects at the first call, and again when the daemon has gone; only a call that it was at work on fails. */
function lastingGateway(connect: () => Promise<Gateway & { readonly isOpen?: boolean }>): () => Promise<Gateway> {
  let connected = once(connect);
  return async () => {
    let gateway = await connected();
    if (gateway.isOpen === false) {
      connected = once(connect);
      gateway = await connected();
    }
    const unlessLost = async <T>(answer: Promise<T>): Promise<T> => {
      try {
        return await answer;
      } catch (error) {
        if (error instanceof Fault && GONE.has(error.code)) connected = once(connect);
        throw error;
      }
    };
    return {
      call: (method, params, signal) => unlessLost(gateway.call(method, params, signal)),
      follow: (params, listener, signal) => unlessLost(gateway.follow(params, listener, signal)),
      notices: (params, listener, signal) => unlessLost(gateway.notices(params, listener, signal)),
    };
  };
}
