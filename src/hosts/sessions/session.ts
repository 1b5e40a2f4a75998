import { setImmediate as nextTurn } from 'node:timers/promises';
import { messageOf } from '../../base/message-of.ts';
import type { Caller } from '../../wire/exec.ts';
import type {
  InputAnswer,
  Leftover,
  FollowListener,
  LogPage,
  LogSlice,
  PollAnswer,
  SessionFailure,
  SessionInfo,
  SessionInput,
} from '../../wire/session.ts';
import type { InputSource } from '../../wire/sessions/recording.ts';
import type { Exit, Launched, Launcher, Listener } from '../process/launch.ts';
import { Condition } from './condition.ts';
import { deadline } from './deadline.ts';
import { noTerminal } from './faults.ts';
import { Follows } from './log/follow.ts';
import { SessionControl } from './input/control.ts';
import { SessionStdin } from './input/session-stdin.ts';
import { LinePages } from './log/line-pages.ts';
import { LastOutput } from './last-output.ts';
import type { OutputLog } from './log/log.ts';
import { nameOf } from './names.ts';
import { exitOf, type PastSession, recordOf } from './past-sessions.ts';
import { type Reader, readerOf, ReadState } from './read-state.ts';
import { Polls } from './polls.ts';
import { SessionDisk } from './session-disk.ts';
import type { Session } from './shape.ts';
import { failureOf, sessionInfoOf } from './session-info.ts';
import { logOf, recordingOf, type SessionParts } from './session-parts.ts';
import { wholeText } from './log/slices.ts';
import { SessionTerminal } from './terminal/session-terminal.ts';

const DEFAULT_MODES = { applicationCursor: false, bracketedPaste: false };
/** If no exit event arrives within this time after the kill, the session counts as ended. */
const EXIT_EVENT_MS = 5000;

export class LiveSession implements Session {
  readonly id: string;
  readonly log: OutputLog;
  readonly disk: SessionDisk;
  readonly control: SessionControl;
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
  readonly #lastOutput: LastOutput;
  #launched: Launched | undefined;
  #terminal: SessionTerminal | undefined;
  #backgrounded: boolean;
  #exceeded = false;
  #isDetached = false;
  #reported: Promise<void> = Promise.resolve();
  readonly #readState = new ReadState();
  #exit: Exit | undefined;
  #endedAt: { readonly wall: number; readonly monotonic: number } | undefined;
  #failure: SessionFailure | undefined;
  #leftovers: readonly Leftover[] | undefined;
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
    this.disk = new SessionDisk(this.log, () => this.#terminal);
    this.control = new SessionControl(id, now);
    const isOnDisk = start.background && start.followed !== true;
    if (past === undefined && continued?.bytes === undefined && isOnDisk) this.log.persist();
    this.#follows = new Follows(this.log, start.attached === true);
    this.#pages = new LinePages(this.log);
    this.#polls = new Polls(this, monotonic);
    this.#lastOutput = new LastOutput(now, monotonic);
    this.#input = new SessionStdin(id, monotonic, now);
    const { pty } = start.launch;
    if (pty !== undefined) {
      // A node has a model of the terminal, which replies to the program.
      const reply = start.node === undefined ? (text: string) => this.#input.report(text) : () => {};
      this.#terminal = new SessionTerminal(this.log, pty, reply);
    }
    if (past !== undefined) this.#restore(past);
  }

  /** Starts the command; rejects if the launcher fails. */
  async run(runner: Pick<Launcher, 'launch'>): Promise<void> {
    const { launch, timeout, node } = this.#parts.start;
    const listener: Listener = {
      output: (stream, bytes) => this.#onOutput(stream, bytes),
      skipped: (bytes) => this.#onSkipped(bytes),
      connected: (isConnected) => this.#terminal?.noteLink(isConnected),
      exited: (exit) => this.#onExit(exit),
    };
    const launched = (this.#launched = await this.#launch(runner, listener));
    if (launched.pty) this.#record();
    else this.#terminal = undefined;
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

  /** Its command, once it has started. */
  get launched(): Launched | undefined {
    return this.#launched;
  }

  get terminal(): SessionTerminal {
    if (this.#terminal === undefined) throw noTerminal(this.id);
    return this.#terminal;
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
    const notes = [note, this.#terminal?.note].filter((each) => each !== undefined);
    return [...(this.#launched?.warnings ?? []), ...notes, ...this.#notes];
  }

  info(): SessionInfo {
    return sessionInfoOf({
      id: this.id,
      start: this.#parts.start,
      name: this.#name,
      log: this.log,
      launched: this.#launched,
      size: this.#terminal?.size,
      isRecorded: this.#terminal?.isRecorded === true,
      startedAt: this.#startedAt,
      endedAt: this.#endedAt?.wall,
      exit: this.#exit,
      failure: this.#failure,
      backgrounded: this.#backgrounded,
      input: this.#input,
      controller: this.control.controller,
      waitingForInput: !this.hasEnded && this.#input.isOpen && this.log.end > 0 && this.#lastOutput.isOld,
      lastOutputAt: this.#lastOutput.at,
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

  async ended(ms?: number, signal?: AbortSignal): Promise<SessionInfo> {
    const until = ms === undefined ? undefined : this.#parts.monotonic() + ms;
    while (!this.hasEnded && !this.#isDetached && signal?.aborted !== true) {
      const left = until === undefined ? undefined : until - this.#parts.monotonic();
      if (left !== undefined && left <= 0) break;
      await this.#endCondition.wait(left, signal);
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
    await this.#terminal?.suspend();
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

  async send(input: SessionInput, source: InputSource): Promise<InputAnswer> {
    // Only named keys and pastes depend on the modes that the program has set.
    const needsModes = input.kind === 'keys' || input.kind === 'paste';
    const modes = (needsModes && !this.hasEnded && (await this.#terminal?.modes())) || DEFAULT_MODES;
    const sent = await this.#input.send(input, source, { pty: this.#terminal !== undefined, ...modes });
    this.#terminal?.mark({ kind: 'input', source });
    return { session: this.info(), ...sent };
  }

  async follow(reader: Reader, after: number, listener: FollowListener, signal?: AbortSignal): Promise<SessionInfo> {
    const info = await this.#follows.follow(this, after, listener, signal);
    if (signal?.aborted !== true && after <= 0) this.#noteRead(reader, this.log.end);
    return info;
  }

  /** A session with a terminal is on the disk from its start, because its recording is. */
  #record(): void {
    const recording = recordingOf(this.#parts, this.log, this.#startedAt);
    if (recording === undefined) return;
    this.log.persist();
    this.#terminal?.record(recording);
  }

  /** A session that ran when its daemon died counts as lost from now on. */
  #restore({ info }: PastSession): void {
    const { now, monotonic } = this.#parts;
    const wall = info.endedAt ?? now();
    this.#exit = exitOf(info);
    this.#failure = info.status === 'running' ? 'lost' : info.failure;
    this.#endedAt = { wall, monotonic: monotonic() - Math.max(0, now() - wall) };
    this.#lastOutput.restore(info.lastOutputAt ?? info.startedAt);
    this.#input.close();
    this.#record();
  }

  /** Only reads of the owner count: an operator who reads an agent's session does not read for the agent. */
  #noteRead(reader: Reader, upTo: number): void {
    if (this.hasEnded && upTo >= this.log.end && reader === readerOf(this.caller)) this.#readState.noteWhole();
  }

  #onOutput(stream: 'out' | 'err', bytes: Uint8Array): boolean {
    this.#lastOutput.note();
    const goOn = this.log.append(stream, bytes);
    this.#terminal?.output();
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
    if (this.#terminal !== undefined) this.#warnOnFailure(this.#terminal.end(exit));
    const written = this.log.finish();
    this.#warnOnFailure(written);
    const { node, followed } = this.#parts.start;
    // The next daemon reports the end of a recorded session that this one did not report.
    if (node !== undefined) this.#reported = written.catch(() => undefined).then(() => this.#report());
    // The follower on another machine hears of the end first.
    else if (followed === true) this.#reported = nextTurn().then(() => this.#report());
    else void this.#report();
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
}
