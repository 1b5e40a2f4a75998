/** The gateway's end of the channel to the runner inside of a sandbox. Everything that comes out of it may be an attack. */
import { randomBytes } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { Fault } from '../../../base/fault.ts';
import { RUNNER_METHODS } from '../../../wire/runner.ts';
import type { ToolCall, ToolCallContext, ToolResult } from '../../../wire/tool.ts';
import { expectThat } from '../../channel/protocol-violation.ts';
import { openChannel } from '../../channel/channel.ts';
import type { Launcher } from '../../process/launch.ts';
import { Calls } from '../../tool-calls/calls.ts';
import { type InsidePlaces, PROTOCOL, type Welcome } from '../../process/runner-messages.ts';
import { Egress, type EgressOptions, PROXY_PORT } from '../egress/egress.ts';
import { HOME_INSIDE, SCRATCH_INSIDE } from '../profile.ts';
import { Commands } from './commands.ts';

export interface LinkOptions {
  /** Called once, when the runner violates the protocol or does not do what it has to: end the sandbox. `defect`: an error of pincer. */
  readonly breakDown: (reason: string, defect?: unknown) => void;
  /** Between TERM and KILL (default: 3,000 ms). */
  readonly graceMs?: number;
  /** Is in the environment of every command beside its session (default: random). */
  readonly owner?: string;
  /** Paths inside that differ from the usual ones. */
  readonly places?: Partial<InsidePlaces>;
  /** Connections out of the sandbox. Default: none. */
  readonly egress?: EgressOptions;
  /** How many processes and threads there may be before a session is ended (default: not watched). */
  readonly mostTasks?: number;
  /** How long the runner may take to answer the first call (default: 20 seconds). */
  readonly helloMs?: number;
}

export interface InsideLink {
  /** Starts commands inside. `close` ends them all, and the runner. */
  readonly launcher: Launcher;
  /** Resolves when the runner has answered the first call; rejects with SANDBOX_BROKEN when it never will. */
  readonly ready: Promise<void>;
  /** Resolves when the channel is closed, with the reason in a few words. */
  readonly ended: Promise<string>;
  readonly running: number;
  /** Runs a file tool inside. What the tool cannot do is a result; rejects with SANDBOX_BROKEN when the sandbox ends. */
  callTool(
    name: string,
    args: unknown,
    context?: ToolCallContext,
    options?: { readonly signal?: AbortSignal },
  ): Promise<ToolResult>;
  /** The milliseconds until the runner answers; the sandbox of one that does not in time is ended. */
  ping(patienceMs?: number): Promise<number>;
}

const PLACES: InsidePlaces = {
  workspace: '/workspace',
  stateDir: `${SCRATCH_INSIDE}/state`,
  scratch: SCRATCH_INSIDE,
  home: HOME_INSIDE,
};
const HELLO_MS = 20_000;
/** The runner ends what it started before it exits. */
const LEAVE_MS = 10_000;
/** Messages from inside are short; the longest have warnings or the reason of a failure in them. */
const LONGEST_MESSAGE = 16 * 1024;

/** Takes over the connection. Commands and tools can be called immediately; they wait for the runner. */
export function connectInside(connection: Duplex, options: LinkOptions): InsideLink {
  const { graceMs = 3000, owner = randomBytes(8).toString('hex'), places, mostTasks, helloMs = HELLO_MS } = options;
  const egress = options.egress === undefined ? undefined : new Egress(options.egress);
  let isReady = false;
  let isLeaving = false;
  let fault: Fault | undefined;
  const expectReady = (): void => expectThat(isReady, 'a message before the answer to runner.welcome');
  const channel = openChannel(connection, {
    trust: 'hostile',
    side: 'opener',
    methods: RUNNER_METHODS,
    bounds: { message: LONGEST_MESSAGE, ...(egress === undefined ? {} : { calls: egress.mostCalls }) },
    ...(egress === undefined
      ? {}
      : {
          serve: async (call) => {
            expectReady();
            return egress.connect(call);
          },
        }),
    broken: options.breakDown,
    lost: (reason) => (fault ??= sandboxEnded(isLeaving ? CLOSED : reason)),
  });
  const ended = channel.ended.then((reason) => (isLeaving ? CLOSED : reason));

  const welcome: Welcome = {
    owner,
    graceMs,
    places: { ...PLACES, ...places },
    ...(mostTasks === undefined ? {} : { mostTasks }),
    ...(egress === undefined
      ? {}
      : { proxy: { port: options.egress?.proxyPort ?? PROXY_PORT, mostConnections: egress.mostCalls } }),
  };
  const patience = setTimeout(() => channel.abandon('its runner did not start in time'), helloMs);
  const ready = channel
    .call('runner.welcome', welcome, {
      accept: (result) => {
        const { protocol } = result as { readonly protocol: number };
        expectThat(protocol === PROTOCOL, 'a runner of another version');
        isReady = true;
      },
    })
    .then(() => {})
    .finally(() => clearTimeout(patience));
  ready.catch(() => {}); // every later call gets the error, too

  /** The runner ends when its input does. */
  const leave = async (): Promise<void> => {
    if (channel.lost !== undefined) return;
    isLeaving = true;
    const timer = setTimeout(() => channel.abandon('its runner did not exit'), LEAVE_MS);
    await channel.close();
    clearTimeout(timer);
  };
  const commands = new Commands({ channel, graceMs, expectReady, leave });
  const calls = new Calls(channel, { accepting: expectReady });
  return {
    launcher: commands,
    ready,
    ended,
    get running() {
      return commands.running;
    },
    callTool: (tool, args, context = {}, { signal } = {}) =>
      calls.call({ tool, args, context } as ToolCall, { signal }),
    ping: (patienceMs) => channel.ping(patienceMs),
  };
}

const CLOSED = 'it was closed';

function sandboxEnded(reason: string): Fault {
  return new Fault('SANDBOX_BROKEN', `the sandbox has ended: ${reason}`, {
    hint: 'the next command gets a new one; if this happens again, see pincer sandbox explain',
  });
}
