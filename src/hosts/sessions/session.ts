import { messageOf } from '../../base/message-of.ts';
import type { Caller } from '../../wire/exec.ts';
import type {
  InputAnswer,
  Leftover,
  FollowListener,
  LogPage,
  LogSlice,
  PollAnswer,
  Screen,
  SessionFailure,
  SessionInfo,
  SessionInput,
  TerminalSize,
} from '../../wire/session.ts';
import type { Exit, Launched, Launcher, Listener } from '../process/launch.ts';
import { Condition } from './condition.ts';
import { deadline } from './deadline.ts';
import { noTerminal, sessionEnded } from './faults.ts';
import { Follows } from './log/follow.ts';
import { SessionStdin } from './input/session-stdin.ts';
import { LinePages } from './log/line-pages.ts';
import type { OutputLog } from './log/log.ts';
import { nameOf } from './names.ts';
import { exitOf, type PastSession, recordOf } from './past-sessions.ts';
import { type Reader, readerOf, ReadState } from './read-state.ts';
import { Polls } from './polls.ts';
import type { Session } from './shape.ts';
import { failureOf, sessionInfoOf } from './session-info.ts';
import { logOf, type SessionParts } from './session-parts.ts';
import { wholeText } from './log/slices.ts';
import { TerminalModel } from './terminal/terminal.ts';

const DEFAULT_MODES = { applicationCursor: false, bracketedPaste: false };
const SILENCE = 15_000;
/** If no exit event arrives within this time after the kill, the session counts as ended. */
const EXIT_EVENT_MS = 5000;

export class LiveSession implements Session {
  readonly id: string;
  readonly log: OutputLog;
  readonly condition = new Condition();
  readonly #endCondition = new Condition();
  readonly #notes: string[] = [];
  readonly #parts: SessionParts;
  readonly #name: string;
  readonly #startedAt: number;
  readonly #pages: LinePages;
  readonly #polls: Polls;
  readonly #follows: Follows;
  readonly #input: SessionStdin;
  #launched: Launched | undefined;
  #terminal: TerminalModel | undefined;
  #size: TerminalSize | undefined;
  #backgrounded: boolean;
  #exceeded = false;
  #isDetached = false;
  #reported: Promise<void> = Promise.resolve();
  readonly #readState = new ReadState();
  #exit: Exit | undefined;
  #endedAt: { readonly wall: number; readonly monotonic: number } | undefined;
  #failure: SessionFailure | undefined;
  #leftovers: readonly Leftover[] | undefined;
  #lastOutputAt = 0;
  #lastOutputMonotonic = 0;
  #cancelTimeout: () => void = () => undefined;

  constructor(parts: SessionParts) {
    const { id, start, now, monotonic, past, continued } = parts;
    this.id = id;
    this.#parts = parts;
    this.#name = nameOf(start.command);
    this.#startedAt = past?.info.startedAt ?? continued?.startedAt ?? now();
    this.#backgrounded = start.background;
    this.log = logOf(
      parts,
      () => this.#launched?.resume(),
      () => recordOf(this.info()),
    );
    const isOnDisk = start.background && start.followed !== true;
    if (past === undefined && continued?.bytes === undefined && isOnDisk) this.log.persist();
    this.#follows = new Follows(this.log, start.attached === true);
    this.#pages = new LinePages(this.log);
    this.#polls = new Polls(this, monotonic);
    this.#input = new SessionStdin(id, monotonic);
    this.#size = start.launch.pty;
    if (this.#size !== undefined) {
      // A node has a model of the terminal, which replies to the program.
      const reply = start.node === undefined ? (text: string) => this.#input.report(text) : () => {};
      this.#terminal = new TerminalModel(this.log, this.#size, reply);
    }
    if (past !== undefined) this.#restore(past);
  }

  /** Starts the command; rejects if the launcher fails. */
  async run(runner: Pick<Launcher, 'launch'>): Promise<void> {
    const { launch, timeout, node } = this.#parts.start;
    const listener: Listener = {
      output: (stream, bytes) => this.#onOutput(stream, bytes),
      skipped: (bytes) => this.#onSkipped(bytes),
      exited: (exit) => this.#onExit(exit),
    };
    const launched = (this.#launched = await this.#launch(runner, listener));
    if (!launched.pty) {
      this.#terminal = undefined;
      this.#size = undefined;
    }
    // If a terminal was requested but is unavailable, stdin stays open, as that of the terminal would.
    this.#input.connect(launched, launched.pty || launch.pty !== undefined || launch.stdin === 'open');
    if (!this.log.isPaused) launched.resume(); // the log may have asked to resume before the launch returned
    if (this.hasEnded) return;
    if (this.#failure !== undefined) this.#warnOnFailure(this.#end(launched));
    else if (timeout > 0 && node === undefined) {
      const onTimeout = () => this.#warnOnFailure(this.kill('timeout'));
      this.#cancelTimeout = deadline(timeout * 1000, onTimeout, this.#parts.monotonic);
    }
  }

  /** How long to keep it after its end, if its start sets that. */
  get keepMs(): number | undefined {
    return this.#parts.start.keepMs;
  }

  get caller(): Caller {
    return this.#parts.start.caller;
  }

  get hasEnded(): boolean {
    return this.#exit !== undefined;
  }

  get backgrounded(): boolean {
    return this.#backgrounded;
  }

  /** Whether a client is attached: its command ends with the connection of the client. */
  get isAttached(): boolean {
    return this.#parts.start.attached === true && !this.#backgrounded;
  }

  /** Whether its command runs on another machine, and continues without this process. */
  get canDetach(): boolean {
    return !this.hasEnded && this.#launched?.detach !== undefined;
  }

  /** Its command continues without this process. */
  get isDetached(): boolean {
    return this.#isDetached;
  }

  /** Resolves when the end was reported, if it has ended. */
  get reported(): Promise<void> {
    return this.#reported;
  }

  /** Whether the log has more than the result of its call. */
  get exceeded(): boolean {
    return this.#exceeded;
  }

  /** Whether its owner has received all of its output; an empty log counts as read. */
  get isRead(): boolean {
    return this.#readState.isWhole || (this.hasEnded && this.log.end === 0);
  }

  get endedMonotonic(): number {
    return this.#endedAt?.monotonic ?? Number.POSITIVE_INFINITY;
  }

  /** Undefined until the first search after the end. */
  get leftovers(): readonly Leftover[] | undefined {
    return this.#leftovers;
  }

  /** Sets the result of a search. A session with leftover processes is kept on disk like a background session. */
  setLeftovers(found: readonly Leftover[]): void {
    if (found.length > 0) this.log.persist();
    this.#leftovers = found;
  }

  /** Whether to search for leftover processes: once, and again while there are some. */
  get mayHaveLeftovers(): boolean {
    const { sandbox, node } = this.#parts.start;
    return this.hasEnded && sandbox !== true && node === undefined && this.#leftovers?.length !== 0;
  }

  get changed(): boolean {
    return this.#exit?.kind === 'failed' && this.#exit.reason === 'changed';
  }

  get warnings(): readonly string[] {
    const { note } = this.log;
    return [...(this.#launched?.warnings ?? []), ...(note === undefined ? [] : [note]), ...this.#notes];
  }

  info(): SessionInfo {
    return sessionInfoOf({
      id: this.id,
      start: this.#parts.start,
      name: this.#name,
      log: this.log,
      launched: this.#launched,
      size: this.#size,
      startedAt: this.#startedAt,
      endedAt: this.#endedAt?.wall,
      exit: this.#exit,
      failure: this.#failure,
      backgrounded: this.#backgrounded,
      stdinOpen: this.#input.isOpen,
      waitingForInput: this.#waitsForInput(),
      lastOutputAt: this.#lastOutputAt,
      isTruncated: this.#parts.past?.info.truncated === true,
      leftovers: this.#leftovers ?? [],
    });
  }

  output(maxChars: number): LogSlice {
    const whole = wholeText(this.log, maxChars, this.hasEnded);
    if (whole.omitted > 0) this.#exceeded = true;
    else if (this.hasEnded) this.#readState.noteWhole();
    return whole;
  }

  async ended(ms?: number): Promise<SessionInfo> {
    const until = ms === undefined ? undefined : this.#parts.monotonic() + ms;
    while (!this.hasEnded && !this.#isDetached) {
      const left = until === undefined ? undefined : until - this.#parts.monotonic();
      if (left !== undefined && left <= 0) break;
      await this.#endCondition.wait(left);
    }
    if (this.hasEnded) await this.#reported;
    return this.info();
  }

  background(): void {
    this.#backgrounded = true;
    this.#follows.release();
    this.log.persist();
    if (this.hasEnded) this.#warnOnFailure(this.log.finish());
  }

  async kill(failure: 'killed' | 'aborted' | 'timeout'): Promise<void> {
    if (this.hasEnded) return;
    this.#failure ??= failure;
    // Before the launch returns there is nothing to kill: `run` kills it then.
    if (this.#launched !== undefined) await this.#end(this.#launched);
    else await this.ended();
  }

  /** Leaves the command to its machine. The next daemon continues with what is on the disk then. */
  async detach(): Promise<void> {
    this.#isDetached = true;
    this.#launched?.detach?.();
    this.background();
    this.#endCondition.notifyAll();
    await this.log.finish();
  }

  async interrupt(): Promise<void> {
    if (this.hasEnded) return;
    if (this.#launched === undefined) await this.kill('killed');
    else this.#launched.interrupt();
  }

  async poll(reader: Reader, waitMs: number, signal: AbortSignal | undefined): Promise<PollAnswer> {
    const { output, retryInMs } = await this.#polls.poll(reader, waitMs, signal);
    this.#noteRead(reader, output.end);
    return { session: this.info(), output, ...(retryInMs === undefined ? {} : { retryInMs }) };
  }

  async page(reader: Reader, offset: number | undefined, limit: number | undefined): Promise<LogPage> {
    const page = await this.#pages.page(offset, limit, this.hasEnded);
    if (reader === readerOf(this.caller) && this.#readState.notePage(page)) this.#noteRead(reader, this.log.end);
    return { session: this.info(), ...page, totalBytes: this.log.end };
  }

  async send(input: SessionInput): Promise<InputAnswer> {
    // Only named keys and pastes depend on the modes that the program has set.
    const needsModes = input.kind === 'keys' || input.kind === 'paste';
    const modes = (needsModes && !this.hasEnded && (await this.#terminal?.modes())) || DEFAULT_MODES;
    const sent = await this.#input.send(input, { pty: this.#terminal !== undefined, ...modes });
    return { session: this.info(), ...sent };
  }

  async screen(): Promise<Screen> {
    if (this.#terminal === undefined) throw noTerminal(this.id);
    const screen = await this.#terminal.screen();
    return { session: this.info(), ...screen };
  }

  resize(size: TerminalSize): SessionInfo {
    if (this.#terminal === undefined || this.#launched === undefined) throw noTerminal(this.id);
    if (this.hasEnded) throw sessionEnded(this.id);
    this.#launched.resize(size);
    this.#terminal.resize(size);
    this.#size = { cols: size.cols, rows: size.rows };
    return this.info();
  }

  async follow(reader: Reader, after: number, listener: FollowListener, signal?: AbortSignal): Promise<SessionInfo> {
    const info = await this.#follows.follow(this, after, listener, signal);
    if (signal?.aborted !== true && after <= 0) this.#noteRead(reader, this.log.end);
    return info;
  }

  /** Removes the middle of its log; returns how many bytes of the disk that freed. */
  cut(): Promise<number> {
    return this.log.cut(this.hasEnded);
  }

  async forget(): Promise<void> {
    await this.log.remove();
  }

  /** A session that ran when its daemon died counts as lost from now on. */
  #restore({ info }: PastSession): void {
    const { now, monotonic } = this.#parts;
    const wall = info.endedAt ?? now();
    this.#exit = exitOf(info);
    this.#failure = info.status === 'running' ? 'lost' : info.failure;
    this.#endedAt = { wall, monotonic: monotonic() - Math.max(0, now() - wall) };
    this.#lastOutputAt = info.lastOutputAt ?? info.startedAt;
    this.#input.close();
  }

  /** Only reads of the owner count: an operator who reads an agent's session does not read for the agent. */
  #noteRead(reader: Reader, upTo: number): void {
    if (this.hasEnded && upTo >= this.log.end && reader === readerOf(this.caller)) this.#readState.noteWhole();
  }

  #onOutput(stream: 'out' | 'err', bytes: Uint8Array): boolean {
    this.#lastOutputAt = this.#parts.now();
    this.#lastOutputMonotonic = this.#parts.monotonic();
    const goOn = this.log.append(stream, bytes);
    this.#terminal?.feed();
    this.condition.notifyAll();
    return goOn;
  }

  #onSkipped(bytes: number): boolean {
    const goOn = this.log.skip(bytes);
    this.condition.notifyAll();
    return goOn;
  }

  #onExit(exit: Exit): void {
    if (this.hasEnded) return;
    this.#exit = exit;
    this.#cancelTimeout();
    this.#endedAt = { wall: this.#parts.now(), monotonic: this.#parts.monotonic() };
    this.#failure = failureOf(exit, this.#failure, this.#parts.start.node !== undefined);
    this.#input.close();
    this.condition.notifyAll();
    this.#endCondition.notifyAll();
    if (this.#terminal !== undefined) this.#warnOnFailure(this.#terminal.close());
    const written = this.log.finish();
    this.#warnOnFailure(written);
    if (this.#parts.start.node === undefined) void this.#report();
    // The next daemon reports the end of a recorded session that this one did not report.
    else this.#reported = written.catch(() => undefined).then(() => this.#report());
  }

  async #report(): Promise<void> {
    try {
      await this.#parts.onEnd(this);
    } catch (error) {
      this.#notes.push(messageOf(error)); // a failing callback must not prevent the end of the session
    }
  }

  async #launch(runner: Pick<Launcher, 'launch'>, listener: Listener): Promise<Launched> {
    try {
      return await runner.launch({ ...this.#parts.start.launch, session: this.id }, listener);
    } catch (error) {
      // No client knows this session, but a caller of `ended` must not wait forever.
      this.#exit = { kind: 'failed', reason: 'spawn-failed', message: messageOf(error) };
      this.#endCondition.notifyAll();
      throw error;
    }
  }

  async #end(launched: Launched): Promise<void> {
    await launched.kill();
    if (!this.hasEnded) await this.#endCondition.wait(EXIT_EVENT_MS);
    // The rest of the output of a node may be on the way.
    if (this.#parts.start.node === undefined) this.#onExit({ kind: 'signal', signal: 'SIGKILL' });
  }

  /** For work that is not awaited: its failure becomes a warning of the session. */
  #warnOnFailure(work: Promise<void>): void {
    work.catch((error: unknown) => this.#notes.push(messageOf(error)));
  }

  #waitsForInput(): boolean {
    if (this.hasEnded || !this.#input.isOpen || this.log.end === 0) return false;
    return this.#parts.monotonic() - this.#lastOutputMonotonic >= SILENCE;
  }
}
