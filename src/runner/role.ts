/** The interface of a role of the runner, and the calls that roles answer. */
import type { Readable, Writable } from 'node:stream';
import { type Channel, type ChannelOptions, openChannel } from '../hosts/channel/channel.ts';
import type { IncomingCall } from '../hosts/channel/serving.ts';
import { PROTOCOL, type RunParams, type Welcome } from '../hosts/process/runner-messages.ts';
import type { Commands } from './commands.ts';
import type { Run } from './plumbing.ts';

/** The connection to the process that started this one. */
export interface Connection {
  readonly input: Readable;
  readonly output: Writable;
  /** Ends all that this process started, and exits. */
  readonly leave: () => void;
}

export interface Role {
  /** Ends all that was started. */
  end(): Promise<void>;
}

/** The answer to `runner.welcome`. */
export const WELCOMED = { protocol: PROTOCOL };
const DONE = {};

/** Answers calls without bounds: the other end is trusted, and limits itself. */
export function serveCalls(
  connection: Connection,
  serve: (call: IncomingCall) => Promise<unknown>,
  options: Pick<ChannelOptions, 'announce'> = {},
): Channel {
  const channel = openChannel(connection, {
    trust: 'same-build',
    side: 'acceptor',
    bounds: { calls: Number.POSITIVE_INFINITY, waiting: Number.POSITIVE_INFINITY },
    staysOpen: true,
    ...options,
    serve,
    lost: (reason) => new Error(reason),
  });
  void channel.ended.then(connection.leave);
  return channel;
}

/** A role that only starts commands. `ended` is called after the answer to a `run.start` was written. */
export function serveCommands(connection: Connection, begin: (welcome: Welcome) => Commands, ended?: () => void): Role {
  let commands: Commands | undefined;
  serveCalls(connection, async (call) => {
    if (call.method === 'runner.welcome') {
      commands = begin(call.params as Welcome);
      return WELCOMED;
    }
    if (commands === undefined) throw new Error(`${call.method} before runner.welcome`);
    const answer = await answerRunCall(commands, call);
    if (call.method === 'run.start' && ended !== undefined) setImmediate(ended);
    return answer;
  });
  return { end: async () => commands?.end() };
}

/** Answers a call about a command. Both ends are built together, so the parameters are not checked. */
export async function answerRunCall(
  commands: Commands,
  { method, params, event, streams }: IncomingCall,
): Promise<unknown> {
  switch (method) {
    case 'run.start': {
      const run: Run = { ...(params as RunParams['run.start']), report: event, streams };
      return commands.start(run);
    }
    case 'run.kill':
      return { ok: await commands.kill(params as RunParams['run.kill']) };
    case 'run.resize':
      commands.resize(params as RunParams['run.resize']);
      return DONE;
    case 'run.interrupt':
      commands.interrupt(params as RunParams['run.interrupt']);
      return DONE;
    default:
      throw new Error(`unknown method ${method}`);
  }
}
