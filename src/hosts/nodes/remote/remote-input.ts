/** What people and agents send to a command on a node: input, the size of its terminal, and questions about its processes. */
import type { SessionInfo, TerminalSize } from '../../../wire/session.ts';
import type { SessionProcesses } from '../../../wire/sessions/processes.ts';
import type { Link } from '../../channel/link.ts';
import type { Launched } from '../../process/launch.ts';
import { inTime } from '../in-time.ts';
import { inputClosed } from '../../process/command.ts';

export interface RemoteInputOptions {
  /** The id of the session at this gateway. */
  readonly session: string;
  /** The session on the node. */
  readonly remote: () => SessionInfo | undefined;
  readonly link: () => Link | undefined;
  readonly hasEnded: () => boolean;
  /** How long a node may take to answer before its link is closed. */
  readonly answerMs: number;
  /** The error for what cannot be sent. */
  readonly offline: (consequence: string) => Error;
}

/** Bytes of input in one call. */
const MOST_INPUT = 48 * 1024;

export class RemoteInput {
  readonly #options: RemoteInputOptions;
  #isEnded = false;
  #isEndSent = false;
  #size: TerminalSize | undefined;
  #writes: Promise<unknown> = Promise.resolve();

  constructor(options: RemoteInputOptions) {
    this.#options = options;
  }

  /** What it contributes to the handle of the command. */
  handle(): Pick<Launched, 'write' | 'endInput' | 'resize' | 'interrupt' | 'processes'> {
    return {
      write: (bytes) => this.#write(bytes),
      endInput: () => this.#end(),
      resize: (size) => this.#resize(size),
      interrupt: () => this.#interrupt(),
      processes: () => this.#processes(),
    };
  }

  #write(bytes: Uint8Array): Promise<void> {
    const written = this.#writes.then(async () => {
      for (let at = 0; at < bytes.length; at += MOST_INPUT)
        await this.#send({ data: base64(bytes.subarray(at, at + MOST_INPUT)) });
    });
    this.#writes = written.catch(() => {});
    return written;
  }

  /** Sent again over the next link, if this one breaks. */
  #end(): void {
    this.#isEnded = true;
    const ended = this.#writes.then(() => this.#send({ data: '', end: true }));
    this.#writes = ended.then(
      () => {
        this.#isEndSent = this.#options.remote()?.pty === undefined;
        this.#isEnded = this.#isEndSent;
      },
      () => {},
    );
  }

  #resize(size: TerminalSize): void {
    this.#size = size;
    const link = this.#options.link();
    if (link !== undefined) this.#notify(link, 'session.resize', { size });
  }

  #interrupt(): void {
    const link = this.#options.link();
    if (link === undefined) throw this.#options.offline('the interrupt was not sent');
    this.#notify(link, 'session.interrupt', {});
  }

  async #processes(): Promise<SessionProcesses> {
    const { hasEnded, offline, answerMs } = this.#options;
    const link = this.#options.link();
    const remote = this.#options.remote();
    if (hasEnded()) return { processes: [] };
    if (link === undefined || remote === undefined) throw offline('its processes are not known');
    const answer = link.channel.call('session.processes', remoteSession(remote));
    return (await inTime(link, answer, answerMs)) as SessionProcesses;
  }

  /** Sends what a broken link may have lost. */
  linked(link: Link): void {
    if (this.#size !== undefined) this.#notify(link, 'session.resize', { size: this.#size });
    if (this.#isEnded && !this.#isEndSent) this.#end();
  }

  async #send(input: { readonly data: string; readonly end?: true }): Promise<void> {
    const { session, hasEnded, offline } = this.#options;
    if (hasEnded() || this.#isEndSent) throw inputClosed(session);
    const link = this.#options.link();
    const remote = this.#options.remote();
    if (link === undefined || remote === undefined) throw offline('the input was not sent');
    try {
      const written = link.channel.call('session.write', { ...remoteSession(remote), ...input });
      await inTime(link, written, this.#options.answerMs);
    } catch (error) {
      throw link.channel.lost === undefined ? error : offline('it is not known whether the input arrived');
    }
  }

  /** For calls whose answer is not awaited: the command may have ended. */
  #notify(link: Link, method: 'session.resize' | 'session.interrupt', params: object): void {
    const remote = this.#options.remote();
    if (remote !== undefined) link.channel.call(method, { ...remoteSession(remote), ...params }).catch(() => {});
  }
}

/** Names a session on a node. After a restart of the node, another session may have its id. */
export function remoteSession({ id, startedAt }: SessionInfo): {
  readonly sessionId: string;
  readonly startedAt: number;
} {
  return { sessionId: id, startedAt };
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}
