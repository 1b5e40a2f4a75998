/** Passes tool calls to a process that is started at the first call. */
import type { FaultCode } from '../../base/fault.ts';
import type { RunnerProcess } from '../../hosts/process/runner-process.ts';
import type { ToolCall } from '../../wire/tool.ts';
import { awaitExit } from '../helper-process.ts';
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

/** How messages about the process call the place where it runs. */
export interface ToolsPlace {
  readonly code: FaultCode;
  readonly where: 'in the sandbox' | 'on the node';
}

type Trouble = (place: ToolsPlace) => { readonly message: string; readonly hint: string };

const ENDED: Trouble = ({ where }) => ({
  message: `the process that runs the tools ${where} ended`,
  hint: `check whether there is enough memory ${where}, and try again`,
});
const STOPPED: Trouble = ({ where }) => ({
  message: `a process ${where} killed the tool process`,
  hint: 'find the command that sends signals, and try again',
});
const STUCK: Trouble = ({ where }) => ({
  message: `a tool ${where} did not answer within ${LONGEST_CALL_MS / 60_000} minutes`,
  hint: 'request less per call',
});

interface Holder {
  readonly helper: RunnerProcess;
  readonly calls: Set<{ readonly began: number }>;
  /** Why its calls fail, once it is gone. */
  trouble: Trouble;
}

export class Tools {
  readonly #startProcess: () => RunnerProcess;
  readonly #place: ToolsPlace;
  #holder: Holder | undefined;

  /** `startProcess` starts a process with the role `--tools`. */
  constructor(startProcess: () => RunnerProcess, place: ToolsPlace) {
    this.#startProcess = startProcess;
    this.#place = place;
  }

  /** The packed result. */
  async call(params: ToolCall, signal: AbortSignal): Promise<Uint8Array> {
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
      return troubleResult(holder.trouble, this.#place);
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
    const helper = this.#startProcess();
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

function troubleResult(trouble: Trouble, place: ToolsPlace): Uint8Array {
  const { message, hint } = trouble(place);
  return packAnswer({
    content: [{ type: 'text', text: message }],
    details: { code: place.code, hint },
    isError: true,
    error: message,
  });
}
