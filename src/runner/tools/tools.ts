/** The tool calls, answered by a process that is started at the first one. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { FrameKind } from '../../hosts/channel/frames.ts';
import type { Welcome } from '../../hosts/process/runner-messages.ts';
import type { FrameSender } from '../../hosts/channel/sending.ts';
import { type HelperProcess, startHelper } from '../helper-process.ts';
import { endOwn, isStopped } from '../killing.ts';
import { setOomPriority, TOOLS_OOM_PRIORITY } from '../oom.ts';
import { packAnswer } from './packing.ts';

/** A call that was stopped may finish what it does; after that the process is ended. */
const ABORT_MS = 5000;
/** At the end it has less time for that. */
const LAST_MS = 1000;
const LOOK_MS = 1000;
/** No call takes longer that is not stuck. */
const LONGEST_CALL_MS = 600_000;

interface Trouble {
  readonly message: string;
  readonly hint: string;
}

const ENDED: Trouble = {
  message: 'the process that runs the tools inside of the sandbox ended',
  hint: 'look whether the sandbox has too little memory, and try again',
};
const STOPPED: Trouble = {
  message: 'the process that runs the tools inside of the sandbox was stopped by another one there',
  hint: 'see which command in the sandbox signals processes that are not its own, and try again',
};
const STUCK: Trouble = {
  message: `a tool inside of the sandbox did not answer within ${LONGEST_CALL_MS / 60_000} minutes`,
  hint: 'ask for less at once',
};

export class Tools {
  readonly #sender: FrameSender;
  readonly #welcome: Welcome;
  readonly #onDrain: (resume: () => void) => boolean;
  /** When each call came. */
  readonly #open = new Map<number, number>();
  #helper: HelperProcess | undefined;
  #watch: NodeJS.Timeout | undefined;
  #trouble = ENDED;

  /** `onDrain` says whether the channel is full, and calls back when it is not any more. */
  constructor(sender: FrameSender, welcome: Welcome, onDrain: (resume: () => void) => boolean) {
    this.#sender = sender;
    this.#welcome = welcome;
    this.#onDrain = onDrain;
  }

  /** A part of a call. */
  receive(kind: 'part' | 'last', id: number, payload: Uint8Array): void {
    if (!this.#open.has(id)) this.#open.set(id, performance.now());
    this.#helper ??= this.#start();
    this.#helper.raw(kind, id, payload);
  }

  abort(id: number): void {
    const helper = this.#helper;
    if (helper === undefined || !this.#open.has(id)) return;
    helper.send(id, { type: 'abort' });
    setTimeout(() => {
      if (this.#open.has(id)) this.#stop(helper);
    }, ABORT_MS).unref();
  }

  /** The process that the tools run in. */
  get pids(): readonly number[] {
    return this.#helper?.pid === undefined ? [] : [this.#helper.pid];
  }

  /** Resolves when the process is gone. */
  async end(): Promise<void> {
    const helper = this.#helper;
    await Promise.race([helper?.close(), sleep(LAST_MS)]);
    if (helper?.pid !== undefined && this.#helper === helper) await endOwn(helper.pid);
  }

  #start(): HelperProcess {
    const helper = startHelper('--tools', this.#welcome, (...frame) => this.#answer(helper, ...frame));
    void helper.gone.then(() => this.#lost(helper));
    if (helper.pid !== undefined) setOomPriority(helper.pid, TOOLS_OOM_PRIORITY);
    this.#watch = setInterval(() => this.#look(helper), LOOK_MS);
    this.#watch.unref();
    return helper;
  }

  /** Commands have the same user and may stop it; who waits for an answer gets one. */
  #look(helper: HelperProcess): void {
    const [oldest] = this.#open.values();
    if (oldest === undefined || helper.pid === undefined) return;
    if (isStopped(helper.pid)) this.#trouble = STOPPED;
    else if (performance.now() - oldest > LONGEST_CALL_MS) this.#trouble = STUCK;
    else return;
    this.#stop(helper);
  }

  #stop({ pid }: HelperProcess): void {
    if (pid !== undefined && this.#helper?.pid === pid) endOwn(pid).catch(() => {}); // it stays as it is, and the next look tries again
  }

  #answer(helper: HelperProcess, kind: FrameKind, id: number, payload: Uint8Array): void {
    if (kind !== 'part' && kind !== 'last') return; // it announces itself
    if (kind === 'last') this.#open.delete(id);
    this.#sender.raw(kind, id, new Uint8Array(payload));
    if (this.#onDrain(() => helper.resume())) helper.pause();
  }

  #lost(helper: HelperProcess): void {
    if (this.#helper !== helper) return;
    this.#helper = undefined;
    clearInterval(this.#watch);
    const { message, hint } = this.#trouble;
    this.#trouble = ENDED;
    const result = packAnswer({
      content: [{ type: 'text', text: message }],
      details: { code: 'SANDBOX_TOOLS_ENDED', hint },
      isError: true,
      error: message,
    });
    for (const id of this.#open.keys()) void this.#sender.value(id, result);
    this.#open.clear();
  }
}
