/** The way out of a sandbox: the agent asks for a name and a port, and the gateway decides, connects and carries. */
import { isIP } from 'node:net';
import { Fault } from '../../../base/fault.ts';
import type { ConnectParams } from '../../../wire/runner.ts';
import type { IncomingCall } from '../../channel/serving.ts';
import type { ConnectResult } from '../../process/runner-messages.ts';
import { isOwn } from './addresses.ts';
import { carryConnection } from './connection.ts';
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
/** Connections beyond the greatest number whose refusal is under way; a runner refuses others itself. */
const MOST_REFUSED_AT_ONCE = 64;

export class Egress {
  /** Calls at the same time: those above the greatest number of connections are refused, and more end the sandbox. */
  readonly mostCalls: number;
  readonly #options: EgressOptions;
  readonly #rules: Rules;
  readonly #most: number;
  #open = 0;
  #mayTell = TOLD_AT_ONCE;
  #lastTold = performance.now();
  #untold = 0;

  /** Throws SANDBOX_NETWORK_PATTERN for a pattern that is none. */
  constructor(options: EgressOptions) {
    this.#options = options;
    this.#most = options.maxConnections ?? MAX_CONNECTIONS;
    this.mostCalls = this.#most + MOST_REFUSED_AT_ONCE;
    const { allow, resolve = systemResolve, permitted = () => false } = options;
    this.#rules = { patterns: allow.map((text) => patternOf(text, permitted)), resolve, permitted };
  }

  /** Answers a `net.connect` of the runner when the connection is over. */
  async connect(call: IncomingCall): Promise<ConnectResult> {
    const { host, port } = call.params as ConnectParams;
    if (this.#open >= this.#most) return this.#refuse(host, port, 'too-many');
    this.#open++;
    try {
      const verdict = await decide(host, port, this.#rules);
      if (call.signal.aborted) return { end: 'cut' };
      if (!verdict.ok) return this.#refuse(host, port, verdict.reason);
      const { address } = verdict;
      this.#tell((untold) => this.#options.onAllowed?.({ host, port, address, untold }));
      const end = await carryConnection(address, port, call);
      return end === 'unreachable' ? this.#refuse(host, port, end) : { end };
    } finally {
      this.#open--;
    }
  }

  #refuse(host: string, port: number, reason: RefusalReason): ConnectResult {
    this.#tell((untold) => this.#options.onRefused?.({ host, port, reason, untold }));
    return { end: 'refused', reason };
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
