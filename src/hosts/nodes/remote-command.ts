/**
 * A command that runs on a node. The node owns it: a broken link ends nothing. Its output is read by position, so that the next
 * link continues where the last one stopped.
 */
import { Fault } from '../../base/fault.ts';
import { messageOf } from '../../base/message-of.ts';
import type { NodeMethods } from '../../wire/node.ts';
import type { SessionInfo, TerminalSize } from '../../wire/session.ts';
import type { LogBytes } from '../channel/frames.ts';
import type { Link } from '../channel/link.ts';
import { expectThat } from '../channel/protocol-violation.ts';
import { inputClosed } from '../process/command.ts';
import type { Exit, Launch, Launched, Listener } from '../process/launch.ts';
import { inTime } from './in-time.ts';
import type { NodeLinks } from './node-links.ts';
import { exitOf } from './remote-exit.ts';

export interface NodeName {
  readonly id: string;
  readonly name: string;
}

export interface RemoteCommandOptions {
  readonly node: NodeName;
  readonly links: NodeLinks;
  readonly launch: Pick<Launch, 'session' | 'pty'>;
  readonly listener: Listener;
  readonly now: () => number;
  /** How long a node may be away before its command counts as lost. */
  readonly lostAfterMs: number;
  /** Whether the gateway is closing: then a command that cannot be reached counts as lost. */
  readonly isClosing: () => boolean;
}

type FollowMethod = 'exec.start' | 'session.follow';
type StartEvent = NodeMethods['exec.start']['event'];
type StartResult = NodeMethods['exec.start']['result'];
type Accepted = Extract<StartEvent, { readonly type: 'accepted' }>;

/** The result of sending `exec.start`, before the command ends. `cut`: the link broke before the node confirmed anything. */
export type Sent = Accepted | Extract<StartResult, { readonly outcome: unknown }> | 'cut';

/** Output that waits for the listener. More: the node stops sending, and continues from this position later. */
const MOST_QUEUED = 4 * 1024 * 1024;
/** Bytes of input in one call. */
const MOST_INPUT = 48 * 1024;
/** The node ends a tree of processes within 13 s. */
const KILL_MS = 20_000;
const KILL_MS_AT_CLOSE = 5000;

export class RemoteCommand {
  readonly #options: RemoteCommandOptions;
  readonly #queue: { readonly stream: 'out' | 'err'; readonly bytes: Uint8Array }[] = [];
  #queuedBytes = 0;
  /** The position in the node's log up to which the output has arrived. */
  #position = 0;
  /** Counts the calls that deliver the log; what an older one delivers is ignored. */
  #follow = 0;
  #cancel: AbortController | undefined;
  #session: SessionInfo | undefined;
  #isPaused = false;
  /** The node does not send, because the listener is too slow. */
  #isHeld = false;
  #exit: Exit | undefined;
  #isDelivered = false;
  #unreachableSince: number | undefined;
  #stopListening: () => void = () => {};
  #lostTimer: NodeJS.Timeout | undefined;
  #isKillWanted = false;
  #isInputEnded = false;
  #isInputEndSent = false;
  #size: TerminalSize | undefined;
  #writes: Promise<unknown> = Promise.resolve();

  constructor(options: RemoteCommandOptions) {
    this.#options = options;
  }

  /** Sends the request. Resolves when the node has started it, answered without a start, or the link broke. */
  send(link: Link, params: NodeMethods['exec.start']['params']): Promise<Sent> {
    return new Promise((resolve, reject) => {
      const call = this.#call(link, 'exec.start', params, (accepted) => {
        this.#begin(accepted.session);
        resolve(accepted);
      });
      const follow = this.#follow;
      call.then(
        (result) => {
          if ('outcome' in result) return resolve(result);
          // A node may answer a repeated key with the end of the session alone.
          if (this.#session === undefined) {
            this.#begin(result.session);
            resolve({ type: 'accepted', session: result.session });
          }
          if (follow === this.#follow) this.#followEnded(link, result.session);
        },
        (error: unknown) => {
          if (this.#session !== undefined) {
            if (follow === this.#follow) this.#followFailed(link, error);
          } else if (link.channel.lost !== undefined) resolve('cut');
          else reject(error instanceof Error ? error : new Error(String(error)));
        },
      );
    });
  }

  /** Continues with a session of the node that an earlier link has started. */
  adopt(link: Link, session: SessionInfo): void {
    this.#begin(session);
    this.#followAgain(link);
  }

  /** Counts as lost: the node does not have it any more, or will not be reached. */
  lose(message: string): void {
    this.#end({ kind: 'lost', message });
  }

  handle(warnings: readonly string[]): Launched {
    const session = this.#session;
    const unreachable = (): number | undefined => this.#unreachableSince;
    return {
      pid: session?.pid ?? 0,
      pty: session?.pty !== undefined,
      ...(session === undefined ? {} : { cwd: session.cwd }),
      get unreachableSince() {
        return unreachable();
      },
      warnings,
      write: (bytes) => this.#write(bytes),
      endInput: () => this.#endInput(),
      resize: (size) => this.#resize(size),
      resume: () => this.#resume(),
      interrupt: () => this.#interrupt(),
      kill: () => this.#kill(),
    };
  }

  #begin(session: SessionInfo): void {
    const { links, node } = this.#options;
    this.#session = session;
    this.#stopListening = links.listen(node.id, (link) => this.#linked(link));
  }

  /** The id of the session on the node. */
  get #id(): string {
    return this.#session?.id ?? '';
  }

  #call<M extends FollowMethod>(
    link: Link,
    method: M,
    params: NodeMethods[M]['params'],
    accepted: (event: Accepted) => void,
  ): Promise<NodeMethods[M]['result']> {
    const follow = ++this.#follow;
    const cancel = (this.#cancel = new AbortController());
    const isCurrent = (): boolean => follow === this.#follow && this.#exit === undefined;
    return link.channel.call(method, params, {
      signal: cancel.signal,
      event: (value) => {
        const event = value as StartEvent;
        if (event.type === 'accepted') {
          expectThat(method === 'exec.start' && this.#session === undefined, 'a second start of a command');
          accepted(event);
        } else if (isCurrent()) this.#skip(event);
      },
      log: (bytes) => {
        expectThat(this.#session !== undefined, 'output of a command that has not started');
        if (isCurrent()) this.#take(bytes);
      },
    }) as Promise<NodeMethods[M]['result']>;
  }

  #take({ stream, start, bytes }: LogBytes): void {
    expectThat(start === this.#position, `output at ${start} instead of ${this.#position}`);
    this.#position += bytes.length;
    this.#output(stream, bytes);
  }

  /** The node has dropped a part of its log. */
  #skip({ start, bytes }: { readonly start: number; readonly bytes: number }): void {
    expectThat(start === this.#position, `a gap at ${start} instead of ${this.#position}`);
    this.#position += bytes;
    this.#output('err', Buffer.from(`\n[pincer: node ${this.#options.node.name} dropped ${bytes} bytes of output]\n`));
  }

  #output(stream: 'out' | 'err', bytes: Uint8Array): void {
    if (!this.#isPaused && this.#queue.length === 0) {
      this.#isPaused = !this.#options.listener.output(stream, bytes);
      return;
    }
    this.#queue.push({ stream, bytes: Uint8Array.from(bytes) });
    this.#queuedBytes += bytes.length;
    if (this.#queuedBytes <= MOST_QUEUED || this.#isHeld) return;
    this.#isHeld = true;
    this.#stopFollowing();
  }

  #stopFollowing(): void {
    this.#follow++;
    this.#cancel?.abort();
  }

  #resume(): void {
    this.#isPaused = false;
    while (!this.#isPaused) {
      const next = this.#queue.shift();
      if (next === undefined) break;
      this.#queuedBytes -= next.bytes.length;
      this.#isPaused = !this.#options.listener.output(next.stream, next.bytes);
    }
    if (this.#queue.length > 0) return;
    if (this.#isHeld) {
      this.#isHeld = false;
      const link = this.#link;
      if (link === undefined) this.#noteUnreachable();
      else if (this.#exit === undefined) this.#followAgain(link);
    }
    this.#deliverExit();
  }

  #followAgain(link: Link): void {
    const after = this.#position;
    const call = this.#call(link, 'session.follow', { sessionId: this.#id, after }, () => {});
    const follow = this.#follow;
    call.then(
      ({ session }) => {
        if (follow === this.#follow) this.#followEnded(link, session, after);
      },
      (error: unknown) => {
        if (follow === this.#follow) this.#followFailed(link, error);
      },
    );
  }

  /** `after`: where the call began. A call without progress is not repeated. */
  #followEnded(link: Link, session: SessionInfo, after = -1): void {
    if (this.#exit !== undefined || this.#isHeld) return;
    if (session.bytes > this.#position && this.#position > after) this.#followAgain(link);
    else if (session.status === 'running') link.close('it ended the output of a session that runs');
    else this.#end(exitOf(session));
  }

  #followFailed(broken: Link, error: unknown): void {
    if (this.#exit !== undefined) return;
    if (broken.channel.lost === undefined) {
      // The node may have removed a session that had ended, with its log.
      const session = this.#session;
      if (session !== undefined && session.status !== 'running') this.#end(exitOf(session));
      else this.lose(`node ${this.#options.node.name}: ${messageOf(error)}`);
      return;
    }
    const link = this.#link;
    if (link === undefined) this.#noteUnreachable();
    else this.#followAgain(link); // it has replaced the broken one already
  }

  #noteUnreachable(): void {
    const { now, lostAfterMs, node } = this.#options;
    this.#unreachableSince ??= now();
    this.#lostTimer ??= setTimeout(() => this.lose(`node ${node.name} did not reconnect`), lostAfterMs);
    this.#lostTimer.unref();
  }

  #linked(link: Link): void {
    if (this.#exit !== undefined) return;
    this.#unreachableSince = undefined;
    clearTimeout(this.#lostTimer);
    this.#lostTimer = undefined;
    if (this.#isKillWanted) this.#sendKill(link).catch(() => {}); // the next link repeats it
    if (this.#size !== undefined) this.#notify(link, 'session.resize', { size: this.#size });
    if (this.#isInputEnded && !this.#isInputEndSent) this.#endInput();
    if (this.#isHeld) this.#follow++;
    else this.#followAgain(link);
  }

  #end(exit: Exit): void {
    if (this.#exit !== undefined) return;
    this.#exit = exit;
    this.#stopFollowing();
    this.#stopListening();
    clearTimeout(this.#lostTimer);
    // After the promise of the launch, which the caller awaits.
    setImmediate(() => this.#deliverExit());
  }

  /** All output is delivered before the exit. */
  #deliverExit(): void {
    if (this.#exit === undefined || this.#isDelivered || this.#queue.length > 0) return;
    this.#isDelivered = true;
    this.#options.listener.exited(this.#exit);
  }

  get #link(): Link | undefined {
    return this.#options.links.current(this.#options.node.id);
  }

  #write(bytes: Uint8Array): Promise<void> {
    const written = this.#writes.then(async () => {
      for (let at = 0; at < bytes.length; at += MOST_INPUT)
        await this.#input({ data: base64(bytes.subarray(at, at + MOST_INPUT)) });
    });
    this.#writes = written.catch(() => {});
    return written;
  }

  async #input(input: { readonly data: string; readonly end?: true }): Promise<void> {
    if (this.#exit !== undefined || this.#isInputEndSent) throw inputClosed(this.#options.launch.session);
    const link = this.#link;
    if (link === undefined) throw this.#offline('the input was not sent');
    try {
      await link.channel.call('session.write', { sessionId: this.#id, ...input });
    } catch (error) {
      throw link.channel.lost === undefined ? error : this.#offline('it is not known whether the input arrived');
    }
  }

  /** Sent again over the next link, if this one breaks. */
  #endInput(): void {
    this.#isInputEnded = true;
    const ended = this.#writes.then(() => this.#input({ data: '', end: true }));
    this.#writes = ended.then(
      () => {
        this.#isInputEndSent = this.#session?.pty === undefined;
        this.#isInputEnded = this.#isInputEndSent;
      },
      () => {},
    );
  }

  #resize(size: TerminalSize): void {
    this.#size = size;
    if (this.#link !== undefined) this.#notify(this.#link, 'session.resize', { size });
  }

  #interrupt(): void {
    const link = this.#link;
    if (link === undefined) throw this.#offline('the interrupt was not sent');
    this.#notify(link, 'session.interrupt', {});
  }

  async #kill(): Promise<void> {
    if (this.#exit !== undefined) return;
    this.#isKillWanted = true;
    const { links, node, isClosing } = this.#options;
    const link = this.#link;
    if (link !== undefined) {
      await this.#sendKill(link);
      return;
    }
    if (!links.isPaired(node.id)) this.lose(`node ${node.name} was removed; the command may still run there`);
    else if (isClosing()) this.lose(`the gateway stopped while node ${node.name} was not connected`);
    else throw this.#offline('it ends the command when it connects');
  }

  async #sendKill(link: Link): Promise<void> {
    try {
      const isClosing = this.#options.isClosing();
      await inTime(
        link,
        link.channel.call('session.kill', { sessionId: this.#id }),
        isClosing ? KILL_MS_AT_CLOSE : KILL_MS,
      );
    } catch (error) {
      if (this.#exit !== undefined) return;
      if (this.#options.isClosing()) {
        this.lose('the gateway stopped, and the node did not confirm the end of the command');
        return;
      }
      if (link.channel.lost !== undefined) throw this.#offline('it ends the command when it connects');
      throw error;
    }
  }

  /** For calls whose answer is not awaited: the command may have ended. */
  #notify(link: Link, method: 'session.resize' | 'session.interrupt', params: object): void {
    link.channel.call(method, { sessionId: this.#id, ...params }).catch(() => {});
  }

  #offline(consequence: string): Fault {
    const { id, name } = this.#options.node;
    return new Fault('NODE_OFFLINE', `node ${name} is not connected; ${consequence}`, {
      hint: 'the session continues there; try again when pincer nodes list shows it as connected',
      details: { node: { id, name } },
    });
  }
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}
