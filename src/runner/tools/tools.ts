/** Passes tool calls to a process that is started at the first call. */
import type { IncomingCall } from '../../hosts/channel/serving.ts';
import type { Welcome } from '../../hosts/process/runner-messages.ts';
import { awaitExit, type HelperProcess, startHelper } from '../helper-process.ts';
import { endOwn, isStopped } from '../killing.ts';
import { setOomPriority, TOOLS_OOM_PRIORITY } from '../oom.ts';
import { packAnswer } from './packing.ts';

/** A cancelled call has this time to finish; after that the process is killed. */
const ABORT_MS = 5000;
/** The same when the runner ends. */
const LAST_MS = 1000;
const CHECK_MS = 1000;
/** A call that takes longer is stuck. */
const LONGEST_CALL_MS = 600_000;

interface Trouble {
  readonly message: string;
  readonly hint: string;
}

const ENDED: Trouble = {
  message: 'the process that runs the tools inside of the sandbox ended',
  hint: 'check whether the sandbox has enough memory, and try again',
};
const STOPPED: Trouble = {
  message: 'the process that runs the tools inside of the sandbox was stopped by another one there',
  hint: 'find the command in the sandbox that signals processes of others, and try again',
};
const STUCK: Trouble = {
  message: `a tool inside of the sandbox did not answer within ${LONGEST_CALL_MS / 60_000} minutes`,
  hint: 'request less per call',
};

interface Holder {
  readonly helper: HelperProcess;
  readonly calls: Set<{ readonly began: number }>;
  /** Why its calls fail, once it is gone. */
  trouble: Trouble;
}

export class Tools {
  readonly #welcome: Welcome;
  #holder: Holder | undefined;

  constructor(welcome: Welcome) {
    this.#welcome = welcome;
  }

  /** The packed result. */
  async call({ params, signal }: IncomingCall): Promise<Uint8Array> {
    const holder = (this.#holder ??= this.#start());
    const call = { began: performance.now() };
    holder.calls.add(call);
    const abort = (): void => {
      setTimeout(() => {
        if (holder.calls.has(call)) this.#stop(holder);
      }, ABORT_MS).unref();
    };
    signal.addEventListener('abort', abort);
    try {
      return (await holder.helper.channel.call('tool.call', params, { signal })) as Uint8Array;
    } catch {
      return troubleResult(holder.trouble);
    } finally {
      signal.removeEventListener('abort', abort);
      holder.calls.delete(call);
    }
  }

  get pids(): readonly number[] {
    const pid = this.#holder?.helper.pid;
    return pid === undefined ? [] : [pid];
  }

  /** Resolves when the process is gone. */
  async end(): Promise<void> {
    const helper = this.#holder?.helper;
    if (helper === undefined) return;
    void helper.close();
    await awaitExit(helper, LAST_MS);
  }

  #start(): Holder {
    const helper = startHelper('--tools', this.#welcome);
    const holder: Holder = { helper, calls: new Set(), trouble: ENDED };
    if (helper.pid !== undefined) setOomPriority(helper.pid, TOOLS_OOM_PRIORITY);
    const watch = setInterval(() => this.#check(holder), CHECK_MS);
    watch.unref();
    void helper.channel.ended.then(() => {
      clearInterval(watch);
      if (this.#holder === holder) this.#holder = undefined;
    });
    return holder;
  }

  /** Commands have the same user and may stop it: then it is killed, and its calls fail. */
  #check(holder: Holder): void {
    const [oldest] = holder.calls;
    const { pid } = holder.helper;
    if (oldest === undefined || pid === undefined) return;
    if (isStopped(pid)) holder.trouble = STOPPED;
    else if (performance.now() - oldest.began > LONGEST_CALL_MS) holder.trouble = STUCK;
    else return;
    this.#stop(holder);
  }

  #stop({ helper: { pid } }: Holder): void {
    if (pid !== undefined) endOwn(pid).catch(() => {}); // the next check tries again
  }
}

function troubleResult({ message, hint }: Trouble): Uint8Array {
  return packAnswer({
    content: [{ type: 'text', text: message }],
    details: { code: 'SANDBOX_TOOLS_ENDED', hint },
    isError: true,
    error: message,
  });
}
