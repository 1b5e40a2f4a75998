/** One sandbox that runs: who uses it, and how it ends. */
import { Fault } from '../../../base/fault.ts';
import { messageOf } from '../../../base/message-of.ts';
import type { ObeyedChange, SandboxInfo } from '../../../wire/sandbox.ts';
import type { ObeyedDifference } from '../../obeyed/fingerprint.ts';
import type { Exit, Launch, Launched, Listener } from '../../process/launch.ts';
import { INSIDE, type OpenSandbox, type SandboxSpec } from '../backend.ts';
import { memoryKillsAround } from '../limits/groups.ts';
import type { InsideLink } from '../link/link.ts';
import type { SandboxPlace } from '../owner.ts';
import { obeyedText, shortObeyed } from './obeyed-text.ts';
import type { LostGuard } from './lost-guard.ts';
import { type Look, ObeyedWatch, type Report } from './obeyed-watch.ts';

/** How long the process around it may take to say why it ended, when its channel has closed. */
const REASON_MS = 1_000;
/** An agent that has been stopped by its neighbours answers nothing; those who wait for it are not left waiting. */
const WATCH_MS = 20_000;

/** Said in the output of a command that ended so: the number 137 alone has many causes. */
const OUT_OF_MEMORY = 'pincer: the sandbox ran out of memory, and a process was ended (sandbox.limits.memory)\n';

const TOO_MANY_PROCESSES =
  'pincer: the command was ended with all that it started, because the sandbox came to its limit of processes (sandbox.limits.pids)\n';

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
  /** Hears of what the host obeys and work in it made or changed; says what became of each. */
  readonly onObeyed?: Report;
}

/** Work that was accepted. */
export interface Work {
  /** What was changed before it began. */
  readonly obeyed: readonly ObeyedChange[];
  /** To be called once: gives what changed since the last look, and the sandbox is no longer used by it. */
  end(): Promise<readonly ObeyedChange[]>;
}

/** What came of work in a sandbox beside its result. */
export interface Worked<T> {
  readonly result: T;
  readonly obeyed: readonly ObeyedChange[];
}

export class SandboxInstance {
  readonly place: SandboxPlace;
  /** Resolves when it is gone, with the reason in a few words. */
  readonly ended: Promise<string>;
  readonly #parts: SandboxInstanceParts;
  readonly #startedAt: number;
  readonly #watch: NodeJS.Timeout;
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
    this.#watch = setInterval(() => this.#ping(), WATCH_MS);
    this.#watch.unref();
    this.ended = this.#untilGone();
  }

  /** Nothing can be started in it any more. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** It is neither over nor about to be. */
  get takesWork(): boolean {
    return !this.#isOver && !this.#isRetired;
  }

  /** Somebody ended it, and knows. */
  get wasTold(): boolean {
    return this.#why !== undefined;
  }

  /** Whether an agent has used it, and has not left it for another. */
  isOf(agent: string): boolean {
    return this.#agents.has(agent);
  }

  /** A file tool may have written in it, and its record of changes ends with it. */
  get hasRecord(): boolean {
    return this.#hasRecord;
  }

  noteRecord(): void {
    this.#hasRecord = true;
  }

  /** Nothing runs that somebody waits for. */
  get isIdle(): boolean {
    return this.#users === 0;
  }

  /** Work was accepted that has not ended. */
  get isRunning(): boolean {
    return this.#obeyed.isRunning;
  }

  get idleMs(): number {
    return this.isIdle ? this.#parts.now() - this.#lastUsedAt : 0;
  }

  /** Files of the workspace that can be written from inside although they were guarded. */
  lostGuards(): readonly LostGuard[] {
    const lost = this.#isOver ? [] : (this.#parts.opened.guards?.lost() ?? []);
    return lost.map((path) => ({ path, cause: 'replaced' }));
  }

  /** Those of these guards that were not asked about before. */
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
   * Begins work for an agent, after a look at what the host obeys. `guardsHold` gets the files that a new sandbox would guard
   * and this one does not; where it says no, or the sandbox has ended, there is no work.
   */
  async begin(
    agent: string,
    guardsHold: (unguarded: readonly LostGuard[]) => boolean,
  ): Promise<{ readonly work?: Work; readonly obeyed: readonly ObeyedChange[] }> {
    if (!this.takesWork) return { obeyed: [] };
    const release = this.#hold(agent);
    try {
      const { isAccepted, changes: obeyed } = await this.#obeyed.begin(
        (paths) => this.takesWork && guardsHold(paths.map((path) => ({ path, cause: 'new' }))),
      );
      if (isAccepted) return { work: { obeyed, end: () => this.#looked().finally(release) }, obeyed };
      release();
      return { obeyed };
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Starts a command in it as work; it counts as used until the command has ended. */
  async launch(work: Work, launch: Launch, listener: Listener): Promise<Launched> {
    const killedBefore = this.#memoryKills();
    const say = (text: string): void =>
      void listener.output(launch.streams === 'apart' ? 'err' : 'out', Buffer.from(text));
    try {
      return await this.#parts.link.launcher.launch(launch, {
        output: (stream, bytes) => listener.output(stream, bytes),
        exited: (exit) => {
          if (wasKilled(exit) && (this.#memoryKills() ?? 0) > (killedBefore ?? Infinity)) say(OUT_OF_MEMORY);
          if (exit.limit === 'pids') say(TOO_MANY_PROCESSES);
          void work.end().then((later) => {
            const obeyed = shortObeyed([...work.obeyed, ...later]);
            for (const each of obeyed) say(`pincer: ${obeyedText(each)}\n`);
            this.#tellEnd(obeyed.length === 0 ? exit : { ...exit, obeyed }, launch, listener);
          });
        },
      });
    } catch (error) {
      await work.end();
      throw error;
    }
  }

  /** What a command changed that the host obeys; a look that fails is told as one that was not made. */
  async #looked(look = (): Promise<readonly ObeyedChange[]> => this.#obeyed.end()): Promise<readonly ObeyedChange[]> {
    try {
      return await look();
    } catch (error) {
      return this.#report([{ path: '.', reader: messageOf(error), change: 'not-searched' }], NOTHING_KNOWN);
    }
  }

  /** Hands on all that was found; where that fails, it is still shown with the result. */
  async #report(differences: readonly ObeyedDifference[], look: Look): Promise<readonly ObeyedChange[]> {
    try {
      return (await this.#parts.onObeyed?.(differences, look)) ?? differences;
    } catch (error) {
      const notQuarantined = messageOf(error);
      return differences.map((each) => (isFile(each) ? { ...each, notQuarantined } : each));
    }
  }

  /** Does something with its agent as work; it counts as used meanwhile. */
  async using<T>(work: Work, use: (link: InsideLink) => Promise<T>): Promise<Worked<T>> {
    const result = await use(this.#parts.link).catch(async (error: unknown) => {
      await work.end();
      throw error;
    });
    return { result, obeyed: shortObeyed([...work.obeyed, ...(await work.end())]) };
  }

  /** An agent needs it no longer; without any it ends. */
  leave(agent: string, why: string): void {
    if (this.#agents.delete(agent) && this.#agents.size === 0) this.retire(why);
  }

  /** It gets no more work, and ends when what runs in it has ended. */
  retire(why: string): void {
    this.#isRetired = true;
    this.#why ??= why;
    this.#endWhenIdle();
  }

  /** Ends everything in it at once. */
  async end(why: string): Promise<void> {
    this.#why ??= why;
    this.#isOver = true;
    await this.#parts.opened.end();
    await this.ended;
  }

  #hold(agent: string): () => void {
    if (this.#isOver)
      throw new Fault('SANDBOX_BROKEN', `the sandbox has ended: ${this.#why ?? 'just now'}`, {
        hint: 'try again: the next command gets a new one',
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

  /** How many processes in it the limit of its memory has cost; undefined where there is none, or nobody counts. */
  #memoryKills(): number | undefined {
    const { spec, opened } = this.#parts;
    if (spec.limits.memoryBytes === undefined || opened.pid === undefined) return undefined;
    return memoryKillsAround(opened.pid);
  }

  #endWhenIdle(): void {
    if (this.#isRetired && this.isIdle && !this.#isOver) this.end('').catch(() => {}); // `ended` says how it went
  }

  /** Whoever loses a command to the end of its sandbox hears why that ended. */
  #tellEnd(exit: Exit, launch: Launch, listener: Listener): void {
    if (exit.kind === 'failed') listener.exited({ ...exit, message: unstarted(exit.message, launch) });
    else if (exit.kind !== 'lost') listener.exited(exit);
    else void this.ended.then((reason) => listener.exited({ kind: 'lost', message: `its sandbox ended: ${reason}` }));
  }

  async #untilGone(): Promise<string> {
    const { opened, link } = this.#parts;
    const said = await Promise.race([link.ended, opened.ended]);
    this.#isOver = true;
    clearInterval(this.#watch);
    // The process around it knows more about a sudden end than the channel does, but must not delay the news of it.
    const more = await Promise.race([opened.ended, later(REASON_MS)]);
    await this.#looked(() => this.#obeyed.endOfSandbox());
    return this.#why ?? (more === undefined || more === said ? said : `${said} (${more})`);
  }

  #ping(): void {
    if (this.isIdle || this.#isOver || this.#isPinged) return;
    this.#isPinged = true;
    const done = (): void => void (this.#isPinged = false);
    this.#parts.link.ping().then(done, done); // a breach has ended it, which those who wait hear
  }
}

/** Whether it is about a file that could be taken away. */
function isFile({ change }: ObeyedDifference): boolean {
  return change === 'new' || change === 'changed';
}

/** Whether a command, or what its shell waited for, was ended by the signal that nobody can refuse. */
function wasKilled(exit: Exit): boolean {
  return exit.kind === 'signal' ? exit.signal === 'SIGKILL' : exit.kind === 'code' && exit.code === 137;
}

/** Nobody looks on this machine whether there is such a folder inside; the system says only that something is not there. */
function unstarted(message: string, { cwd, stages }: Launch): string {
  if (cwd === INSIDE || !message.includes('(ENOENT)')) return `${message}; its folder is ${cwd}`;
  return `there is no folder ${cwd} in the sandbox, or no ${stages[0].file} (ENOENT)`;
}

function later(ms: number): Promise<undefined> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(undefined), ms).unref();
  });
}
