/** The gateway that runs a toolbox's commands (default: the daemon of its state folder). */
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

export function runningContext(options: RunningOptions): RunningContext {
  const connect =
    options.gateway ?? (() => openGateway(options.stateDir === undefined ? {} : { stateDir: options.stateDir }));
  return {
    gateway: reconnectingGateway(connect),
    caller: authorOf(options),
    environment: options.environment ?? (process.env as Readonly<Record<string, string>>),
    ...(options.restrictions === undefined ? {} : { restrictions: options.restrictions }),
    processAllowed: isToolAllowed(options.tools ?? {}, 'process'),
  };
}

/** A gateway connection that the caller closes. */
export interface OpenGateway extends Gateway {
  /** False when the connection has ended: later calls need a new one. */
  readonly isOpen: boolean;
  close(): void;
}

/**
 * Connects to the daemon of a state folder, and starts it if none runs. For programs that forward notices and approval
 * requests to people; a toolbox connects on its own.
 */
export async function openGateway({
  stateDir = stateFolder(),
}: {
  readonly stateDir?: string;
} = {}): Promise<OpenGateway> {
  return (await import('./client/connect.ts')).connectGateway({ stateDir });
}

/** Faults of a daemon that exits or has exited. */
const GONE: ReadonlySet<string> = /* @__PURE__ */ new Set(['GATEWAY_LOST', 'EXEC_CLOSING']);

/** Connects at the first call, and again after the daemon has exited. Only calls in progress at that moment fail. */
function reconnectingGateway(connect: () => Promise<Gateway & { readonly isOpen?: boolean }>): () => Promise<Gateway> {
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
      auditEntries: (params, listener, signal) => unlessLost(gateway.auditEntries(params, listener, signal)),
    };
  };
}
