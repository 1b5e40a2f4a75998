/** The runner inside a sandbox: does what the gateway calls it for, and ends everything when the gateway is gone. */
import { tmpdir } from 'node:os';
import type { Channel } from '../hosts/channel/channel.ts';
import type { IncomingCall } from '../hosts/channel/serving.ts';
import type { Launch } from '../hosts/process/launch.ts';
import type { RunParams, Welcome } from '../hosts/process/runner-messages.ts';
import { startHelper } from './helper-process.ts';
import type { ToolCall } from '../wire/tool.ts';
import type { Run } from './plumbing.ts';
import { Commands } from './commands.ts';
import { Proxy } from './egress/proxy.ts';
import { COMMANDS_OOM_PRIORITY } from './oom.ts';
import { PipePool } from './pipes.ts';
import { relayedPlumbing } from './relayed.ts';
import { answerRunCall, type Connection, type Role, serveCalls, WELCOMED } from './role.ts';
import { isAloneHere, TaskWatch } from './task-watch.ts';
import { Terminals } from './terminals.ts';
import { Tools } from './tools/tools.ts';

interface Parts {
  readonly commands: Commands;
  readonly tools: Tools;
  readonly proxy: Proxy | undefined;
  readonly watch: TaskWatch | undefined;
}

/** Many commands are so short that all reports about them can be sent together. */
const LAZY: ReadonlySet<string> = new Set(['started', 'exited']);
/** The original PATH, for a login shell whose profile replaces it. */
const BASE_PATH = 'PINCER_BASE_PATH';

export class Inside implements Role {
  readonly #channel: Channel;
  readonly #path: string | undefined;
  #parts: Parts | undefined;
  /** Calls that start processes wait here for room, one after the other. */
  #room: Promise<void> = Promise.resolve();

  /** `path`: PATH of the image. */
  constructor(connection: Connection, path?: string) {
    this.#path = path;
    this.#channel = serveCalls(connection, (call) => this.#serve(call), { announce: true });
  }

  async end(): Promise<void> {
    if (this.#parts === undefined) return;
    const { commands, tools, proxy, watch } = this.#parts;
    watch?.close();
    proxy?.close();
    await Promise.all([tools.end(), commands.end()]);
  }

  async #serve(call: IncomingCall): Promise<unknown> {
    const { method, params } = call;
    if (method === 'runner.welcome') {
      this.#parts = this.#welcome(params as Welcome);
      await this.#parts.proxy?.opened;
      return WELCOMED;
    }
    if (this.#parts === undefined) throw new Error(`${method} before runner.welcome`);
    const { commands, tools } = this.#parts;
    if (method !== 'run.start' && method !== 'tool.call') return answerRunCall(commands, call);
    await this.#roomToStart(this.#parts);
    return method === 'run.start' ? commands.start(this.#run(call)) : tools.call(call.params as ToolCall, call.signal);
  }

  /** No command finds the proxy closed, and none is started where there are too many processes. */
  async #roomToStart({ proxy, watch }: Parts): Promise<void> {
    await proxy?.opened;
    if (watch?.isOver !== true) return;
    const enforce = (): Promise<void> => watch.enforce().catch(() => {}); // a call must not wait for ever
    this.#room = this.#room.then(enforce);
    await this.#room;
  }

  #run({ params, event, streams }: IncomingCall): Run {
    const { id, launch } = params as RunParams['run.start'];
    const report: Run['report'] = (news) => event(news, LAZY.has(news.type) ? 'lazy' : undefined);
    return { id, launch: this.#withPath(launch), report, streams };
  }

  /** A command without PATH gets that of the image. */
  #withPath(launch: Launch): Launch {
    const path = this.#path;
    if (path === undefined || 'PATH' in launch.env) return launch;
    return { ...launch, env: { ...launch.env, PATH: path, [BASE_PATH]: path } };
  }

  #welcome(welcome: Welcome): Parts {
    const { owner, graceMs, places, mostTasks: most, proxy: options } = welcome;
    if (places === undefined) throw new Error('runner.welcome without `places`');
    const pipes = new PipePool([places.scratch, tmpdir()], 'for-all');
    pipes.begin();
    const terminals = new Terminals(welcome);
    const commands = new Commands({
      owner,
      graceMs,
      pipes,
      terminals,
      plumbing: relayedPlumbing(pipes),
      oomPriority: COMMANDS_OOM_PRIORITY,
    });
    const tools = new Tools(() => startHelper('--tools', welcome), {
      where: 'in the sandbox',
      code: 'SANDBOX_TOOLS_ENDED',
    });
    const limited = (session: string): void => commands.runOf(session)?.report({ type: 'limited' });
    const own = (): readonly number[] => [...terminals.pids, ...tools.pids];
    const isAlone = most !== undefined && isAloneHere();
    return {
      proxy: options && new Proxy(this.#channel, options),
      commands,
      tools,
      watch: isAlone ? new TaskWatch({ owner, most, limited, own }) : undefined,
    };
  }
}
