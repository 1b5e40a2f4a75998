/** The way out of a sandbox: the agent asks for a name and a port, and the gateway decides, connects and carries. */
import { isIP } from 'node:net';
import { Fault } from '../../../base/fault.ts';
import { expectThat } from '../../channel/breach.ts';
import type { News } from '../../process/runner-messages.ts';
import type { FrameSender } from '../../channel/sending.ts';
import { isOwn } from './addresses.ts';
import { Connection } from './connection.ts';
import { decide, type RefusalReason, type Resolve, type Rules, systemResolve } from './decide.ts';
import { type AllowPattern, isNeverPublic, parseAllow } from './patterns.ts';

/** A connection that was asked for and not made. */
export interface EgressRefusal {
  readonly host: string;
  readonly port: number;
  readonly reason: RefusalReason;
  /** So many before it were not told, because there were too many at once. */
  readonly untold: number;
}

/** A connection that is made. */
export interface EgressConnection {
  readonly host: string;
  readonly port: number;
  readonly address: string;
  /** So many before it were not told, because there were too many at once. */
  readonly untold: number;
}

export interface EgressOptions {
  /** Patterns such as `api.example.com` or `*.example.org:443`. */
  readonly allow: readonly string[];
  /** Where programs inside find the proxy (default: 3128). */
  readonly proxyPort?: number;
  /** Hears of refusals, for the audit log; not of each one in a flood. */
  readonly onRefused?: (refusal: EgressRefusal) => void;
  /** Hears of connections that are made, for the audit log; not of each one in a flood. */
  readonly onAllowed?: (connection: EgressConnection) => void;
  /** Default: this machine's resolver. */
  readonly resolve?: Resolve;
  /** Addresses that may be reached although they are not public (default: none). */
  readonly permitted?: (address: string) => boolean;
  /** At the same time (default: 64). */
  readonly maxConnections?: number;
}

export const PROXY_PORT = 3128;
const MAX_CONNECTIONS = 64;
/** So many refusals are told at once, and one more after each of these times. */
const TOLD_AT_ONCE = 50;
const TOLD_EVERY_MS = 200;
/** Answers that the agent does not take in. */
const MOST_WAITING = 64 * 1024 * 1024;

export class Egress {
  readonly #options: EgressOptions;
  readonly #sender: FrameSender;
  readonly #rules: Rules;
  readonly #connections = new Map<number, Connection>();
  readonly #most: number;
  #highestId = 0;
  #mayTell = TOLD_AT_ONCE;
  #lastTold = performance.now();
  #untold = 0;

  /** Throws SANDBOX_NETWORK_PATTERN for a pattern that is none. */
  constructor(options: EgressOptions, sender: FrameSender) {
    this.#options = options;
    this.#sender = sender;
    this.#most = options.maxConnections ?? MAX_CONNECTIONS;
    const { allow, resolve = systemResolve, permitted = () => false } = options;
    this.#rules = { patterns: allow.map((text) => patternOf(text, permitted)), resolve, permitted };
  }

  hear(id: number, news: Extract<News, { type: 'connect' | 'cut' }>): void {
    if (news.type === 'connect') this.#asked(id, news.host, news.port);
    else this.#find(id)?.cut();
  }

  receive(id: number, bytes: Uint8Array): void {
    this.#find(id)?.receive(bytes);
  }

  credit(id: number, bytes: number): void {
    this.#find(id)?.credit(bytes);
  }

  close(): void {
    for (const connection of this.#connections.values()) connection.destroy();
    this.#connections.clear();
  }

  #asked(id: number, host: string, port: number): void {
    expectThat(id > this.#highestId, 'a connection with a number that was used came out of it');
    expectThat(this.#sender.waiting <= MOST_WAITING, 'it asks for connections and takes no answers in');
    this.#highestId = id;
    if (this.#connections.size >= this.#most) {
      this.#refuse(id, host, port, 'too-many');
      return;
    }
    const connection = new Connection(id, this.#sender, {
      failed: () => this.#refuse(id, host, port, 'unreachable'),
      gone: () => this.#connections.delete(id),
    });
    this.#connections.set(id, connection);
    void decide(host, port, this.#rules).then((verdict) => {
      if (this.#connections.get(id) !== connection) return; // all was closed in the meantime
      if (verdict.ok) {
        const { address } = verdict;
        this.#tell((untold) => this.#options.onAllowed?.({ host, port, address, untold }));
        connection.open(address, port);
      } else this.#refuse(id, host, port, verdict.reason);
    });
  }

  #refuse(id: number, host: string, port: number, reason: RefusalReason): void {
    this.#connections.delete(id);
    this.#sender.message(id, { type: 'refused', reason });
    this.#tell((untold) => this.#options.onRefused?.({ host, port, reason, untold }));
  }

  #tell(say: (untold: number) => void): void {
    const now = performance.now();
    const earned = Math.floor((now - this.#lastTold) / TOLD_EVERY_MS);
    if (earned > 0) {
      this.#mayTell = Math.min(TOLD_AT_ONCE, this.#mayTell + earned);
      this.#lastTold = now;
    }
    if (this.#mayTell === 0) {
      this.#untold++;
      return;
    }
    this.#mayTell--;
    say(this.#untold);
    this.#untold = 0;
  }

  /** What is over here may not be over yet for the agent. */
  #find(id: number): Connection | undefined {
    expectThat(id <= this.#highestId, 'something of no connection came out of it');
    return this.#connections.get(id);
  }
}

function patternOf(text: string, permitted: (address: string) => boolean): AllowPattern {
  const pattern = parseAllow(text);
  if (pattern === undefined)
    throw new Fault('SANDBOX_NETWORK_PATTERN', `${JSON.stringify(text)} names no part of the network`, {
      hint: 'write a name such as api.example.com, *.example.org or api.example.com:8443',
    });
  const isThisMachine = isIP(pattern.name) !== 0 && isOwn(pattern.name);
  if ((isNeverPublic(pattern) || isThisMachine) && !permitted(pattern.name))
    throw new Fault(
      'SANDBOX_NETWORK_PATTERN',
      `sandbox.network.allow: ${JSON.stringify(text)} is ${isThisMachine ? 'an address of this machine' : 'not public'}, and a sandbox reaches public addresses only`,
      { hint: 'start the server inside of the sandbox, or run the command with tools.exec.host gateway' },
    );
  return pattern;
}
