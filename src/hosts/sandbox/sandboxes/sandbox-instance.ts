/** One running sandbox: its users, its work, and how it ends. */
import { Fault } from '../../../base/fault.ts';
import { messageOf } from '../../../base/message-of.ts';
import type { ObeyedChange, SandboxInfo } from '../../../wire/sandbox.ts';
import type { ObeyedDifference } from '../../obeyed/fingerprint.ts';
import type { Exit, Launch, Launched, Listener } from '../../process/launch.ts';
import { INSIDE, type OpenSandbox, type SandboxSpec } from '../backend.ts';
import { oomKillCount } from '../limits/cgroups.ts';
import type { InsideLink } from '../link/link.ts';
import type { SandboxPlace } from '../owner.ts';
import { obeyedText, shortObeyed } from './obeyed-text.ts';
import type { LostGuard } from './obeyed-text.ts';
import { type Look, ObeyedWatch, type Report } from './obeyed-watch.ts';

/** How long to wait for the exit reason of the sandbox process after its channel has closed. */
const REASON_MS = 1_000;
/** A command inside may stop the agent with a signal; pings detect that, so that callers do not wait forever. */
const PING_EVERY_MS = 20_000;

/** Appended to the output of the command: exit code 137 alone has many causes. */
const OUT_OF_MEMORY =
  'pincer: the sandbox ran out of memory, and the kernel killed a process (sandbox.limits.memory)\n';

const TOO_MANY_PROCESSES =
  'pincer: the command and all of its processes were killed, because the sandbox reached its process limit (sandbox.limits.pids)\n';

const NOTHING_KNOWN: Look = {
  contentOf: () => undefined,
  identityOf: () => undefined,
  seen: () => [],
  whyGuarded: () => undefined,
  whyOperators: () => undefined,
};

export interface SandboxInstanceParts {
  readonly place: SandboxPlace;
  readonly spec: SandboxSpec;
  readonly opened: OpenSandbox;
  readonly link: InsideLink;
  readonly now: () => number;
  /** Receives obeyed files that work created or changed; returns what was done about each. */
  readonly onObeyed?: Report;
}

/** Accepted work. */
export interface Work {
  /** Changes from before it began. */
  readonly obeyed: readonly ObeyedChange[];
  /** Call it once: releases the sandbox and returns the changes since the last snapshot. */
  end(): Promise<readonly ObeyedChange[]>;
}

export interface WorkResult<T> {
  readonly result: T;
  readonly obeyed: readonly ObeyedChange[];
}

export class SandboxInstance {
  readonly place: SandboxPlace;
  /** Resolves with the reason after the sandbox has ended. */
  readonly ended: Promise<string>;
  readonly #parts: SandboxInstanceParts;
  readonly #startedAt: number;
  readonly #pinger: NodeJS.Timeout;
  readonly #obeyed: ObeyedWatch;
  #lastUsedAt: number;
  readonly #agents: Set<string>;
  readonly #knownLost = new Set<string>();
  #users = 0;
  #why: string | undefined;
  #isOver = false;
  #isRetired = false;
  #isPinged = false;
  #hasRecord = false;

  constructor(parts: SandboxInstanceParts) {
    this.#parts = parts;
    this.place = parts.place;
    this.#agents = new Set([parts.place.agent]);
    this.#startedAt = parts.now();
    this.#lastUsedAt = this.#startedAt;
    this.#obeyed = new ObeyedWatch({
      spec: parts.spec,
      opened: parts.opened,
      report: (differences, look) => this.#report(differences, look),
      keepsContents: parts.place.settings.onObeyed === 'quarantine',
    });
    this.#pinger = setInterval(() => this.#ping(), PING_EVERY_MS);
    this.#pinger.unref();
    this.ended = this.#untilEnded();
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get takesWork(): boolean {
    return !this.#isOver && !this.#isRetired;
  }

  /** Pincer ended it, so its end is not unexpected. */
  get wasEndedByPincer(): boolean {
    return this.#why !== undefined;
  }

  /** Whether an agent has used it and has not been released. */
  isOf(agent: string): boolean {
    return this.#agents.has(agent);
  }

  /** Whether a file tool may have recorded changes in it; the record is lost when the sandbox ends. */
  get hasRecord(): boolean {
    return this.#hasRecord;
  }

  noteRecord(): void {
    this.#hasRecord = true;
  }

  get isIdle(): boolean {
    return this.#users === 0;
  }

  get isRunning(): boolean {
    return this.#obeyed.isRunning;
  }

  get idleMs(): number {
    return this.isIdle ? this.#parts.now() - this.#lastUsedAt : 0;
  }

  /** Files of the workspace that were guarded and are writable from inside now. */
  lostGuards(): readonly LostGuard[] {
    const lost = this.#isOver ? [] : (this.#parts.opened.guards?.lost() ?? []);
    return lost.map((path) => ({ path, cause: 'replaced' }));
  }

  /** The lost guards that were not reported before. */
  newlyLost(lost: readonly LostGuard[]): readonly LostGuard[] {
    const fresh = lost.filter(({ path }) => !this.#knownLost.has(path));
    for (const { path } of fresh) this.#knownLost.add(path);
    return fresh;
  }

  info(): SandboxInfo {
    const { spec, opened } = this.#parts;
    const { owner, folder, settings } = this.place;
    return {
      id: spec.id,
      backend: settings.backend,
      scope: settings.scope,
      owner,
      workspace: folder,
      workspaceAccess: spec.workspaceAccess,
      startedAt: this.#startedAt,
      lastUsedAt: this.#lastUsedAt,
      running: this.#users,
      ...(opened.pid === undefined ? {} : { pid: opened.pid }),
      ...(opened.guards === undefined || spec.workspaceAccess !== 'rw' ? {} : { guarded: opened.guards.paths }),
    };
  }

  /**
   * Begins work for an agent, after a snapshot of the obeyed files. `accept` receives the files that a new sandbox would guard
   * and this one does not; if it returns false, or the sandbox has ended, there is no work.
   */
  async begin(
    agent: string,
    accept: (unguarded: readonly LostGuard[]) => boolean,
  ): Promise<{ readonly work?: Work; readonly obeyed: readonly ObeyedChange[] }> {
    if (!this.takesWork) return { obeyed: [] };
    const release = this.#hold(agent);
    try {
      const { isAccepted, changes: obeyed } = await this.#obeyed.begin(
        (paths) => this.takesWork && accept(paths.map((path) => ({ path, cause: 'new' }))),
      );
      if (isAccepted) return { work: { obeyed, end: () => this.#changes().finally(release) }, obeyed };
      release();
      return { obeyed };
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Starts a command as work; the sandbox counts as used until the command has ended. */
  async launch(work: Work, launch: Launch, listener: Listener): Promise<Launched> {
    const killsBefore = this.#oomKills();
    const print = (text: string): void =>
      void listener.output(launch.streams === 'apart' ? 'err' : 'out', Buffer.from(text));
    try {
      return await this.#parts.link.launcher.launch(launch, {
        output: (stream, bytes) => listener.output(stream, bytes),
        exited: (exit) => {
          if (wasKilled(exit) && (this.#oomKills() ?? 0) > (killsBefore ?? Infinity)) print(OUT_OF_MEMORY);
          if (exit.limit === 'pids') print(TOO_MANY_PROCESSES);
          void work.end().then((later) => {
            const obeyed = shortObeyed([...work.obeyed, ...later]);
            for (const each of obeyed) print(`pincer: ${obeyedText(each)}\n`);
            this.#reportExit(obeyed.length === 0 ? exit : { ...exit, obeyed }, launch, listener);
          });
        },
      });
    } catch (error) {
      await work.end();
      throw error;
    }
  }

  /** The obeyed files that work changed; a failed comparison is reported as `not-searched`. */
  async #changes(
    compare = (): Promise<readonly ObeyedChange[]> => this.#obeyed.end(),
  ): Promise<readonly ObeyedChange[]> {
    try {
      return await compare();
    } catch (error) {
      return this.#report([{ path: '.', reader: messageOf(error), change: 'not-searched' }], NOTHING_KNOWN);
    }
  }

  /** Reports the differences; if that fails, they are still part of the result. */
  async #report(differences: readonly ObeyedDifference[], look: Look): Promise<readonly ObeyedChange[]> {
    try {
      return (await this.#parts.onObeyed?.(differences, look)) ?? differences;
    } catch (error) {
      const notQuarantined = messageOf(error);
      return differences.map((each) => (isFile(each) ? { ...each, notQuarantined } : each));
    }
  }

  /** Uses the link to the agent as work; the sandbox counts as used meanwhile. */
  async using<T>(work: Work, use: (link: InsideLink) => Promise<T>): Promise<WorkResult<T>> {
    const result = await use(this.#parts.link).catch(async (error: unknown) => {
      await work.end();
      throw error;
    });
    return { result, obeyed: shortObeyed([...work.obeyed, ...(await work.end())]) };
  }

  /** An agent no longer needs it; without agents it retires. */
  release(agent: string, why: string): void {
    if (this.#agents.delete(agent) && this.#agents.size === 0) this.retire(why);
  }

  /** It accepts no more work, and ends when its current work has ended. */
  retire(why: string): void {
    this.#isRetired = true;
    this.#why ??= why;
    this.#endWhenIdle();
  }

  /** Kills every process in it immediately. */
  async end(why: string): Promise<void> {
    this.#why ??= why;
    this.#isOver = true;
    await this.#parts.opened.end();
    await this.ended;
  }

  #hold(agent: string): () => void {
    if (this.#isOver)
      throw new Fault('SANDBOX_BROKEN', `the sandbox has ended: ${this.#why ?? 'just now'}`, {
        hint: 'try again: the next command gets a new sandbox',
      });
    this.#agents.add(agent);
    this.#users++;
    this.#lastUsedAt = this.#parts.now();
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#users--;
      this.#lastUsedAt = this.#parts.now();
      this.#endWhenIdle();
    };
  }

  /** The number of OOM kills; undefined where there is no memory limit, or the kernel does not report it. */
  #oomKills(): number | undefined {
    const { spec, opened } = this.#parts;
    if (spec.limits.memoryBytes === undefined || opened.pid === undefined) return undefined;
    return oomKillCount(opened.pid);
  }

  #endWhenIdle(): void {
    if (this.#isRetired && this.isIdle && !this.#isOver) this.end('').catch(() => {}); // `ended` reports the outcome
  }

  /** A command that is lost with its sandbox gets the reason of the sandbox's end. */
  #reportExit(exit: Exit, launch: Launch, listener: Listener): void {
    if (exit.kind === 'failed') listener.exited({ ...exit, message: unstarted(exit.message, launch) });
    else if (exit.kind !== 'lost') listener.exited(exit);
    else void this.ended.then((reason) => listener.exited({ kind: 'lost', message: `its sandbox ended: ${reason}` }));
  }

  async #untilEnded(): Promise<string> {
    const { opened, link } = this.#parts;
    const reason = await Promise.race([link.ended, opened.ended]);
    this.#isOver = true;
    clearInterval(this.#pinger);
    // The sandbox process knows more about a sudden end than the channel, but must not delay the report.
    const more = await Promise.race([opened.ended, later(REASON_MS)]);
    await this.#changes(() => this.#obeyed.endOfSandbox());
    return this.#why ?? (more === undefined || more === reason ? reason : `${reason} (${more})`);
  }

  #ping(): void {
    if (this.isIdle || this.#isOver || this.#isPinged) return;
    this.#isPinged = true;
    const done = (): void => void (this.#isPinged = false);
    this.#parts.link.ping().then(done, done); // a protocol violation ends the sandbox, which `ended` reports
  }
}

function isFile({ change }: ObeyedDifference): boolean {
  return change === 'new' || change === 'changed';
}

/** Whether SIGKILL ended the command, or the last child of its shell (exit code 137). */
function wasKilled(exit: Exit): boolean {
  return exit.kind === 'signal' ? exit.signal === 'SIGKILL' : exit.kind === 'code' && exit.code === 137;
}

/** The gateway cannot check the folder inside, and ENOENT does not say whether the folder or the program is missing. */
function unstarted(message: string, { cwd, stages }: Launch): string {
  if (cwd === INSIDE || !message.includes('(ENOENT)')) return `${message}; its folder is ${cwd}`;
  return `the folder ${cwd} or the program ${stages[0].file} does not exist in the sandbox (ENOENT)`;
}

function later(ms: number): Promise<undefined> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(undefined), ms).unref();
  });
}
