/**
 * A command that runs on a node. The node owns it: a broken link ends nothing. Each new link looks the command up by the key of
 * its request, and reads its output by position, so that the output continues where it stopped.
 */
import { Fault } from '../../../base/fault.ts';
import type { NodeMethods } from '../../../wire/nodes/methods.ts';
import type { SessionInfo } from '../../../wire/session.ts';
import type { Link } from '../../channel/link.ts';
import { expectThat } from '../../channel/protocol-violation.ts';
import type { Exit, Launched, Listener } from '../../process/launch.ts';
import { Absence } from '../absence.ts';
import { inTime } from '../in-time.ts';
import { lookUp } from '../look-up.ts';
import type { NodeLinks } from '../node-links.ts';
import type { NodeName, NodeRequests } from '../node-requests.ts';
import { exitOf } from './remote-exit.ts';
import { RemoteInput, remoteSession } from './remote-input.ts';
import { RemoteOutput } from './remote-output.ts';

export interface RemoteCommandOptions {
  readonly node: NodeName;
  readonly key: string;
  readonly links: NodeLinks;
  readonly requests: Pick<NodeRequests, 'get' | 'wantKill' | 'unreachable'>;
  /** The id of the session at this gateway. */
  readonly session: string;
  readonly listener: Listener;
  /** Whether a terminal was requested. */
  readonly hasTerminal: boolean;
  /** Where the local copy of the log ends (default: 0). */
  readonly position?: number;
  readonly now: () => number;
  /** How long a node may take to answer before its link is closed. */
  readonly answerMs: number;
  /** How long a node may be away before its command counts as lost. */
  readonly lostAfterMs: number;
  readonly graceMs: number;
  /** The pause before a question to the node is repeated. */
  readonly retryMs: number;
}

type FollowMethod = 'exec.start' | 'session.follow';
type StartEvent = NodeMethods['exec.start']['event'];
type StartResult = NodeMethods['exec.start']['result'];
type Accepted = Extract<StartEvent, { readonly type: 'accepted' }>;

/** The result of sending `exec.start`, before the command ends. `cut`: the link broke before the node confirmed anything. */
export type Sent = Accepted | Extract<StartResult, { readonly outcome: unknown }> | 'cut';

/** The node ends a tree of processes within 13 s. */
export const KILL_MS = 20_000;
/** A node that says that a session runs, and does not have it, has lost it. */
const MOST_UNKNOWN = 3;
const LONGEST_PAUSE_MS = 60_000; // before a failed question is repeated
/** The limit of a position on the wire. */
const MOST_BYTES = 2 ** 48;

export class RemoteCommand {
  readonly #options: RemoteCommandOptions;
  readonly #output: RemoteOutput;
  readonly #input: RemoteInput;
  readonly #absence: Absence;
  /** Counts look-ups and calls that deliver the log; what an older one delivers is ignored. */
  #turn = 0;
  #cancel: () => void = () => {};
  #session: SessionInfo | undefined;
  /** Answers that the node has no such session, and failed questions, since the last link or progress. */
  #unknown = 0;
  #failures = 0;
  #exit: Exit | undefined;
  #isDelivered = false;
  #isDetached = false;
  #stopListening: () => void = () => {};
  #retryTimer: NodeJS.Timeout | undefined;
  #isKillWanted = false;

  constructor(options: RemoteCommandOptions) {
    const { listener, position = 0, session, key, now, lostAfterMs, graceMs, requests, node } = options;
    this.#options = options;
    this.#absence = new Absence({
      now,
      lostAfterMs,
      graceMs,
      note: (since) => {
        requests.unreachable(key, since);
        listener.connected?.(since === undefined);
      },
      lost: () => this.lose(`node ${node.name} did not reconnect`),
    });
    this.#output = new RemoteOutput({
      listener,
      position,
      hold: () => this.#stopFollowing(),
      drained: (wasHeld) => this.#drained(wasHeld),
    });
    this.#input = new RemoteInput({
      session,
      remote: () => this.#session,
      link: () => this.#link,
      hasEnded: () => this.#exit !== undefined,
      answerMs: options.answerMs,
      offline: (consequence) => this.#offline(consequence),
    });
  }

  /** Sends the request. Resolves when the node has started it, answered without a start, or the link broke. */
  send(link: Link, params: NodeMethods['exec.start']['params']): Promise<Sent> {
    return new Promise((resolve, reject) => {
      const call = this.#call(link, 'exec.start', params, (accepted) => {
        this.#begin(accepted.session);
        resolve(accepted);
      });
      const turn = this.#turn;
      call.then(
        (result) => {
          if ('outcome' in result) return resolve(result);
          if (this.#isDetached) return resolve('cut'); // its caller has left
          // A node may answer a repeated key with the end of the session alone.
          if (this.#session === undefined) {
            this.#begin(result.session);
            resolve({ type: 'accepted', session: result.session });
          }
          if (turn === this.#turn) this.#followEnded(link, result.session);
        },
        (error: unknown) => {
          if (this.#session !== undefined) {
            if (turn === this.#turn) this.#followFailed(link, error);
          } else if (link.channel.lost !== undefined) resolve('cut');
          else reject(error instanceof Error ? error : new Error(String(error)));
        },
      );
    });
  }

  /** Continues with a session that a look-up over this link has found. */
  adopt(link: Link, session: SessionInfo): void {
    this.#begin(session);
    this.#followFrom(link, session);
  }

  /** Continues with a command that an earlier link has started, at once or when the node connects. */
  resume(): void {
    const open = this.#options.requests.get(this.#options.key);
    this.#isKillWanted = open?.isKillWanted === true;
    this.#absence.continue(open?.unreachableSince);
    this.#begin(undefined);
    const link = this.#link;
    if (link === undefined) this.#noteUnreachable();
    else this.#linked(link);
  }

  /** Counts as lost: the node no longer has it, or will not be reached. */
  lose(message: string): void {
    this.#end({ kind: 'lost', message });
  }

  /** Reads no more; the node continues the command. */
  detach(): void {
    this.#isDetached = true;
    this.#stop();
  }

  handle(warnings: readonly string[]): Launched {
    const command = (): SessionInfo | undefined => this.#session;
    const unreachable = (): number | undefined => this.#absence.since;
    return {
      get pid() {
        return command()?.pid ?? 0;
      },
      pty: this.#session === undefined ? this.#options.hasTerminal : this.#session.pty !== undefined,
      ...(this.#session === undefined ? {} : { cwd: this.#session.cwd }),
      get unreachableSince() {
        return unreachable();
      },
      warnings,
      ...this.#input.handle(),
      resume: () => this.#output.resume(),
      kill: () => this.#kill(),
      detach: () => this.detach(),
    };
  }

  #begin(session: SessionInfo | undefined): void {
    const { links, node } = this.#options;
    this.#session = session;
    this.#stopListening = links.listen(node.id, {
      linked: (link) => this.#linked(link),
      removed: () => this.lose(removedText(node)),
    });
  }

  #call<M extends FollowMethod>(
    link: Link,
    method: M,
    params: NodeMethods[M]['params'],
    accepted: (event: Accepted) => void,
  ): Promise<NodeMethods[M]['result']> {
    const turn = ++this.#turn;
    this.#cancel = () => {};
    const isCurrent = (): boolean => turn === this.#turn && this.#isOpen;
    return link.channel.call(method, params, {
      canceller: (cancel) => (this.#cancel = cancel),
      event: (value) => {
        const event = value as StartEvent;
        if (event.type === 'accepted') {
          expectThat(method === 'exec.start' && this.#session === undefined, 'a second start of a command');
          if (!this.#isDetached) accepted(event);
        } else if (isCurrent()) this.#output.skip(event);
      },
      log: (bytes) => {
        expectThat(this.#session !== undefined || this.#isDetached, 'output of a command that has not started');
        if (!isCurrent()) return;
        this.#unknown = 0;
        this.#failures = 0;
        this.#output.take(bytes);
      },
    }) as Promise<NodeMethods[M]['result']>;
  }

  get #isOpen(): boolean {
    return this.#exit === undefined && !this.#isDetached;
  }

  #stopFollowing(): void {
    this.#turn++;
    this.#cancel();
  }

  #drained(wasHeld: boolean): void {
    const link = this.#link;
    if (wasHeld && this.#isOpen) {
      if (link === undefined) this.#noteUnreachable();
      else void this.#lookUp(link);
    }
    this.#deliverExit();
  }

  /** Asks the node for the command by its key, ends it if that is wanted, and follows its log. */
  async #lookUp(link: Link): Promise<void> {
    const { requests, key, node, answerMs } = this.#options;
    this.#stopFollowing();
    const turn = this.#turn;
    const store = requests.get(key)?.store ?? '';
    const found = await inTime(link, lookUp(link, key, store), answerMs).catch(() => undefined);
    if (turn !== this.#turn || !this.#isOpen) return;
    if (found === undefined) return this.#askAgain(link);
    const { state, session } = found;
    if (session === undefined) {
      if (state === 'asked') this.#askAgain(link);
      else this.lose(`node ${node.name} was restarted, or no longer knows the command`);
      return;
    }
    this.#session = session;
    this.#absence.end();
    if (this.#isKillWanted && session.status === 'running') this.#sendKill(link).catch(() => {}); // the next link repeats it
    this.#input.linked(link);
    if (!this.#output.isHeld) this.#followFrom(link, session);
  }

  #followFrom(link: Link, session: SessionInfo): void {
    const after = this.#output.position;
    const call = this.#call(link, 'session.follow', { ...remoteSession(session), after }, () => {});
    const turn = this.#turn;
    call.then(
      ({ session: now }) => {
        if (turn === this.#turn) this.#followEnded(link, now, after);
      },
      (error: unknown) => {
        if (turn === this.#turn) this.#followFailed(link, error);
      },
    );
  }

  /** `after`: where the call began. A call without progress is not repeated. */
  #followEnded(link: Link, session: SessionInfo, after = -1): void {
    if (!this.#isOpen || this.#output.isHeld) return;
    const { position } = this.#output;
    if (session.bytes > position && position > after) this.#followFrom(link, session);
    else if (session.status === 'running') link.close('the node ended the output of a session that runs');
    else this.#finish(session);
  }

  #followFailed(link: Link, error: unknown): void {
    if (!this.#isOpen) return;
    const session = this.#session;
    const isUnknown = error instanceof Fault && error.code === 'EXEC_SESSION_UNKNOWN';
    if (link.channel.lost !== undefined || !isUnknown) this.#askAgain(link);
    // The node may have removed a session that had ended, with its log.
    else if (session !== undefined && session.status !== 'running') this.#finish(session);
    else if (++this.#unknown < MOST_UNKNOWN) this.#askAgain(link);
    else this.lose(`node ${this.#options.node.name} has lost the session of the command`);
  }

  /** After a failed question: at the current link, with a growing pause, or at the next one. */
  #askAgain(failed: Link): void {
    const { retryMs } = this.#options;
    const link = this.#link;
    if (link === undefined) this.#noteUnreachable();
    else if (link !== failed)
      void this.#lookUp(link); // it has replaced the broken one already
    else {
      clearTimeout(this.#retryTimer);
      const pauseMs = Math.min(retryMs * 2 ** this.#failures++, Math.max(retryMs, LONGEST_PAUSE_MS));
      this.#retryTimer = setTimeout(() => {
        if (this.#isOpen && this.#link === link) void this.#lookUp(link);
      }, pauseMs);
      this.#retryTimer.unref();
    }
  }

  #finish(session: SessionInfo): void {
    const { position } = this.#output;
    const missing = session.bytes - position;
    if (Number.isSafeInteger(missing) && missing > 0 && session.bytes < MOST_BYTES)
      this.#output.skip({ start: position, bytes: missing });
    this.#end(exitOf(session));
  }

  #noteUnreachable(): void {
    const { node, links } = this.#options;
    if (links.isPaired(node.id)) this.#absence.begin();
    else this.lose(removedText(node));
  }

  #linked(link: Link): void {
    if (!this.#isOpen) return;
    this.#absence.pause();
    if (this.#session !== undefined) this.#absence.end();
    this.#unknown = 0;
    this.#failures = 0;
    void this.#lookUp(link);
  }

  #end(exit: Exit): void {
    if (!this.#isOpen) return;
    this.#exit = exit;
    this.#stop();
    this.#deliverExit();
  }

  #stop(): void {
    this.#stopFollowing();
    this.#stopListening();
    this.#absence.pause();
    clearTimeout(this.#retryTimer);
  }

  /** After all output and the promise of the launch, in the same turn: one commit has the records of the start and of the end. */
  #deliverExit(): void {
    process.nextTick(() => {
      if (this.#exit === undefined || this.#isDelivered || !this.#output.isDelivered) return;
      this.#isDelivered = true;
      this.#options.listener.exited(this.#exit);
    });
  }

  get #link(): Link | undefined {
    return this.#options.links.current(this.#options.node.id);
  }

  /** The wish is on disk before anything else, so that it survives a broken link and a restart of this gateway. */
  async #kill(): Promise<void> {
    if (!this.#isOpen) return;
    const { requests, key, links, node } = this.#options;
    this.#isKillWanted = true;
    requests.wantKill(key);
    const link = this.#link;
    if (link !== undefined) await this.#sendKill(link);
    else if (links.isPaired(node.id)) throw this.#killLater();
    else this.lose(removedText(node));
  }

  async #sendKill(link: Link): Promise<void> {
    const session = this.#session;
    if (session === undefined) return; // the look-up that is on its way ends it
    try {
      await inTime(link, link.channel.call('session.kill', remoteSession(session)), KILL_MS);
    } catch (error) {
      if (!this.#isOpen) return;
      if (link.channel.lost !== undefined) throw this.#killLater();
      throw error;
    }
  }

  #killLater(): Fault {
    return this.#offline('the kill is recorded, and ends the command when the node connects');
  }

  #offline(consequence: string): Fault {
    const { id, name } = this.#options.node;
    return new Fault('NODE_OFFLINE', `node ${name} is not connected; ${consequence}`, {
      hint: 'the session continues there; pincer nodes list shows when it is connected',
      details: { node: { id, name } },
    });
  }
}

function removedText({ name }: NodeName): string {
  return `node ${name} was removed; the command may still run there`;
}
