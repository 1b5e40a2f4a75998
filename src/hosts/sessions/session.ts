import { actorOf } from '../../wire/actor.ts';
import type { Caller } from '../../wire/exec.ts';
import type {
  InputAnswer,
  Leftover,
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
import { Bell } from './bell.ts';
import { deadline } from './deadline.ts';
import { messageOf, noTerminal, sessionEnded } from './faults.ts';
import { type FollowListener, follow, holding } from './log/follow.ts';
import { InputLine } from './input/input-line.ts';
import { LinePages } from './log/line-pages.ts';
import { OutputLog } from './log/log.ts';
import { nameOf } from './names.ts';
import { exitOf, type Past, recordOf } from './past.ts';
import { ReadState } from './read-state.ts';
import { Polls } from './polls.ts';
import type { Session, SessionStart } from './shape.ts';
import { newestText, wholeText } from './log/slices.ts';
import { TerminalModel } from './terminal/terminal.ts';

const TAIL_CHARS = 2000;
const UNASKED = { applicationCursor: false, bracketedPaste: false };
const SILENCE = 15_000;
/** After the processes are gone their end must be told; if it is not, it is taken as told. */
const END_PATIENCE = 5000;

/** Who reads: each drains the log for itself. */
export type Reader = 'agent' | 'operator';

export function readerOf({ operator }: Caller): Reader {
  return operator === true ? 'operator' : 'agent';
}

/** What a session gets from the registry. */
export interface SessionParts {
  readonly id: string;
  readonly start: SessionStart;
  /** Its own folder for the log. */
  readonly folder: string;
  readonly maxLogBytes: number;
  readonly now: () => number;
  readonly monotonic: () => number;
  readonly onEnd: (session: LiveSession) => void;
  /** How much more a log of this agent may grow before it asks again. */
  readonly room: (agent: string) => number;
  /** It ran under a daemon that died, and is over. */
  readonly past?: Past;
}

/** One started command: its log, its input, its terminal, its end. */
export class LiveSession implements Session {
  readonly id: string;
  readonly log: OutputLog;
  readonly bell = new Bell();
  readonly #endBell = new Bell();
  readonly #notes: string[] = [];
  readonly #parts: SessionParts;
  readonly #name: string;
  readonly #startedAt: number;
  readonly #pages: LinePages;
  readonly #polls: Polls;
  readonly #input: InputLine;
  #launched: Launched | undefined;
  #terminal: TerminalModel | undefined;
  #size: TerminalSize | undefined;
  #backgrounded: boolean;
  #exceeded = false;
  #isFollowed = false;
  readonly #readState = new ReadState();
  #exit: Exit | undefined;
  #endedAt: { readonly wall: number; readonly monotonic: number } | undefined;
  #failure: SessionFailure | undefined;
  #leftovers: readonly Leftover[] | undefined;
  #lastOutputAt = 0;
  #lastOutputMonotonic = 0;
  #callOff: () => void = () => undefined;

  constructor(parts: SessionParts) {
    const { id, start, folder, maxLogBytes, now, monotonic, past } = parts;
    this.id = id;
    this.#parts = parts;
    this.#name = nameOf(start.command);
    this.#startedAt = past?.info.startedAt ?? now();
    this.#backgrounded = start.background;
    const resume = () => this.#launched?.resume();
    this.log =
      past?.log ??
      new OutputLog(folder, maxLogBytes, resume, {
        record: () => recordOf(this.info()),
        room: () => parts.room(start.caller.agent),
      });
    if (past === undefined && start.background) this.log.keep();
    if (start.attached === true) this.log.hold(0);
    this.#pages = new LinePages(this.log);
    this.#polls = new Polls(this, monotonic);
    this.#input = new InputLine(id, monotonic);
    this.#size = start.launch.pty;
    if (this.#size !== undefined)
      this.#terminal = new TerminalModel(this.log, this.#size, (text) => this.#input.answer(text));
    if (past !== undefined) this.#take(past);
  }

  /** Starts the command; rejects when it could not even be tried. */
  async run(runner: Pick<Launcher, 'launch'>): Promise<void> {
    const { launch, timeout } = this.#parts.start;
    const listener: Listener = {
      output: (stream, bytes) => this.#heard(stream, bytes),
      exited: (exit) => this.#exited(exit),
    };
    const launched = (this.#launched = await this.#launch(runner, listener));
    if (!launched.pty) {
      this.#terminal = undefined;
      this.#size = undefined;
    }
    // A terminal that was wished for and not had leaves the input open, as the terminal would have.
    this.#input.connect(launched, launched.pty || launch.pty !== undefined || launch.stdin === 'open');
    launched.resume(); // the disk may have caught up before there was anyone to tell
    if (this.over) return;
    if (this.#failure !== undefined) this.#noting(this.#end(launched));
    else if (timeout > 0) {
      this.#callOff = deadline(timeout * 1000, () => this.#noting(this.kill('timeout')), this.#parts.monotonic);
    }
  }

  /** How long it is kept after its end, where its start said so. */
  get keepMs(): number | undefined {
    return this.#parts.start.keepMs;
  }

  get caller(): Caller {
    return this.#parts.start.caller;
  }

  get over(): boolean {
    return this.#exit !== undefined;
  }

  get backgrounded(): boolean {
    return this.#backgrounded;
  }

  get exceeded(): boolean {
    return this.#exceeded; // its log says more than the answer of its call did
  }

  /** Whether whoever started it has got all of its output; nothing to read counts as read. */
  get isRead(): boolean {
    return this.#readState.isWhole || (this.over && this.log.end === 0);
  }

  /** When it ended, on the clock that never jumps. */
  get endedMonotonic(): number {
    return this.#endedAt?.monotonic ?? Number.POSITIVE_INFINITY;
  }

  /** Undefined until it was looked for after the end. */
  get leftovers(): readonly Leftover[] | undefined {
    return this.#leftovers;
  }

  /** What a look after its end has found; a session that left something is kept on the disk as one in the background is. */
  setLeftovers(found: readonly Leftover[]): void {
    if (found.length > 0) this.log.keep();
    this.#leftovers = found;
  }

  /** Whether somebody has to look for processes that it left: once, and again while there are some. */
  get mayHaveLeftovers(): boolean {
    return this.over && this.#parts.start.sandbox !== true && this.#leftovers?.length !== 0;
  }

  get changed(): boolean {
    return this.#exit?.kind === 'failed' && this.#exit.reason === 'changed';
  }

  get warnings(): readonly string[] {
    const { note } = this.log;
    return [...(this.#launched?.warnings ?? []), ...(note === undefined ? [] : [note]), ...this.#notes];
  }

  info(): SessionInfo {
    const { start } = this.#parts;
    const { gap, end } = this.log;
    const pid = this.#launched?.pid ?? 0;
    const failure = this.#failure;
    const exit = this.#exit;
    const said = exit?.kind === 'failed' || exit?.kind === 'lost' ? exit.message : undefined;
    const note = failure === 'timeout' ? String(start.timeout) : said;
    return {
      id: this.id,
      ...actorOf(start.caller),
      command: start.command,
      ...(this.#parts.past?.info.masked === true ? { masked: true as const } : {}),
      name: this.#name,
      cwd: start.launch.cwd,
      host: start.host,
      ...(start.sandbox === true ? { sandbox: true as const } : {}),
      status: exit === undefined ? 'running' : failure === undefined && exit.kind === 'code' ? 'completed' : 'failed',
      ...(pid > 0 ? { pid } : {}),
      ...(this.#size === undefined ? {} : { pty: this.#size }),
      startedAt: this.#startedAt,
      ...(start.timeout > 0 ? { timeoutSec: start.timeout } : {}),
      ...(this.#endedAt === undefined ? {} : { endedAt: this.#endedAt.wall }),
      ...(exit?.kind === 'code' ? { exitCode: exit.code } : {}),
      ...(exit?.kind === 'signal' ? { exitSignal: exit.signal } : {}),
      ...(exit?.obeyed === undefined ? {} : { obeyed: exit.obeyed }),
      ...(exit === undefined || failure === undefined ? {} : { failure }),
      ...(exit === undefined || note === undefined ? {} : { failureNote: note }),
      backgrounded: this.#backgrounded,
      stdinOpen: this.#input.isOpen,
      waitingForInput: this.#waitsForInput(),
      ...(end === 0 ? {} : { lastOutputAt: this.#lastOutputAt }),
      bytes: end,
      truncated: gap.end > gap.start || this.#parts.past?.info.truncated === true,
      tail: newestText(this.log, 0, TAIL_CHARS, true).text,
      ...(start.approvalId === undefined ? {} : { approvalId: start.approvalId }),
      ...(this.#leftovers === undefined || this.#leftovers.length === 0 ? {} : { leftovers: this.#leftovers }),
    };
  }

  output(maxChars: number): LogSlice {
    const whole = wholeText(this.log, maxChars, this.over);
    if (whole.omitted > 0) this.#exceeded = true;
    else if (this.over) this.#readState.noteWhole();
    return whole;
  }

  async ended(ms?: number): Promise<SessionInfo> {
    const until = ms === undefined ? undefined : this.#parts.monotonic() + ms;
    while (!this.over) {
      const left = until === undefined ? undefined : until - this.#parts.monotonic();
      if (left !== undefined && left <= 0) break;
      await this.#endBell.wait(left);
    }
    return this.info();
  }

  background(): void {
    this.#backgrounded = true;
    this.log.keep();
  }

  async kill(failure: 'killed' | 'aborted' | 'timeout'): Promise<void> {
    if (this.over) return;
    this.#failure ??= failure;
    // Without a launch there is nothing to end yet: `run` ends it as soon as there is.
    if (this.#launched !== undefined) await this.#end(this.#launched);
    else await this.ended();
  }

  async interrupt(): Promise<void> {
    if (this.over) return;
    if (this.#launched === undefined) await this.kill('killed');
    else this.#launched.interrupt();
  }

  async poll(reader: Reader, waitMs: number, signal: AbortSignal | undefined): Promise<PollAnswer> {
    const { output, retryInMs } = await this.#polls.poll(reader, waitMs, signal);
    this.#noteRead(reader, output.end);
    return { session: this.info(), output, ...(retryInMs === undefined ? {} : { retryInMs }) };
  }

  async page(reader: Reader, offset: number | undefined, limit: number | undefined): Promise<LogPage> {
    const page = await this.#pages.page(offset, limit, this.over);
    if (reader === readerOf(this.caller) && this.#readState.notePage(page)) this.#noteRead(reader, this.log.end);
    return { session: this.info(), ...page, totalBytes: this.log.end };
  }

  async send(input: SessionInput): Promise<InputAnswer> {
    // Only named keys and pastes depend on what the program has asked its terminal for.
    const asks = input.kind === 'keys' || input.kind === 'paste';
    const modes = (asks && !this.over && (await this.#terminal?.modes())) || UNASKED;
    const sent = await this.#input.send(input, { pty: this.#terminal !== undefined, ...modes });
    return { session: this.info(), ...sent };
  }

  async screen(): Promise<Screen> {
    if (this.#terminal === undefined) throw noTerminal(this.id);
    const picture = await this.#terminal.picture();
    return { session: this.info(), ...picture };
  }

  resize(size: TerminalSize): SessionInfo {
    if (this.#terminal === undefined || this.#launched === undefined) throw noTerminal(this.id);
    if (this.over) throw sessionEnded(this.id);
    this.#launched.resize(size);
    this.#terminal.resize(size);
    this.#size = { cols: size.cols, rows: size.rows };
    return this.info();
  }

  async follow(
    reader: Reader,
    after: number,
    listener: FollowListener,
    signal: AbortSignal | undefined,
  ): Promise<SessionInfo> {
    const isFirst = this.#parts.start.attached === true && !this.#isFollowed;
    this.#isFollowed ||= isFirst;
    try {
      const info = await follow(this, after, isFirst ? holding(this.log, listener) : listener, signal);
      if (signal?.aborted !== true && after <= 0) this.#noteRead(reader, this.log.end);
      return info;
    } finally {
      if (isFirst) this.log.hold(undefined);
    }
  }

  /** Gives the middle of its log up; says how many bytes of the disk that freed. */
  cut(): Promise<number> {
    return this.log.cut(this.over);
  }

  /** Gives up what it keeps on the disk. */
  async forget(): Promise<void> {
    await this.log.remove();
  }

  /** What was running when its daemon died ended with it, and is known as ended from now on. */
  #take({ info }: Past): void {
    const { now, monotonic } = this.#parts;
    const wall = info.endedAt ?? now();
    this.#exit = exitOf(info);
    this.#failure = info.status === 'running' ? 'lost' : info.failure;
    this.#endedAt = { wall, monotonic: monotonic() - Math.max(0, now() - wall) };
    this.#lastOutputAt = info.lastOutputAt ?? info.startedAt;
    this.#input.close();
  }

  /** Only its owner's reading counts: a person who looks at an agent's session does not read for the agent. */
  #noteRead(reader: Reader, upTo: number): void {
    if (this.over && upTo >= this.log.end && reader === readerOf(this.caller)) this.#readState.noteWhole();
  }

  #heard(stream: 'out' | 'err', bytes: Uint8Array): boolean {
    this.#lastOutputAt = this.#parts.now();
    this.#lastOutputMonotonic = this.#parts.monotonic();
    const goOn = this.log.append(stream, bytes);
    this.#terminal?.feed();
    this.bell.ring();
    return goOn;
  }

  #exited(exit: Exit): void {
    if (this.over) return;
    this.#exit = exit;
    this.#callOff();
    this.#endedAt = { wall: this.#parts.now(), monotonic: this.#parts.monotonic() };
    if (exit.kind === 'failed') this.#failure = 'spawn-failed';
    if (exit.kind === 'lost') this.#failure ??= 'lost';
    this.#input.close();
    this.bell.ring();
    this.#endBell.ring();
    if (this.#terminal !== undefined) this.#noting(this.#terminal.close());
    this.#noting(this.log.rest());
    try {
      this.#parts.onEnd(this);
    } catch (error) {
      this.#notes.push(messageOf(error)); // the end of a command is no place to fail at
    }
  }

  async #launch(runner: Pick<Launcher, 'launch'>, listener: Listener): Promise<Launched> {
    try {
      return await runner.launch({ ...this.#parts.start.launch, session: this.id }, listener);
    } catch (error) {
      // Nobody hears of this session, but whoever waits for its end must not wait for ever.
      this.#exit = { kind: 'failed', reason: 'spawn-failed', message: messageOf(error) };
      this.#endBell.ring();
      throw error;
    }
  }

  async #end(launched: Launched): Promise<void> {
    await launched.kill();
    if (!this.over) await this.#endBell.wait(END_PATIENCE);
    this.#exited({ kind: 'signal', signal: 'SIGKILL' });
  }

  /** For what nobody waits for: its failure becomes a warning of the session. */
  #noting(work: Promise<void>): void {
    work.catch((error: unknown) => this.#notes.push(messageOf(error)));
  }

  #waitsForInput(): boolean {
    if (this.over || !this.#input.isOpen || this.log.end === 0) return false;
    return this.#parts.monotonic() - this.#lastOutputMonotonic >= SILENCE;
  }
}
