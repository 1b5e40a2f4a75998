/** Connections out of a sandbox: the runner requests a name and a port, and the gateway decides and connects. */
import { isIP } from 'node:net';
import { Fault } from '../../../base/fault.ts';
import type { ConnectParams } from '../../../wire/runner.ts';
import type { IncomingCall } from '../../channel/serving.ts';
import type { ConnectResult } from '../../process/runner-messages.ts';
import { isOwn } from './addresses.ts';
import { carryConnection } from './connection.ts';
import { decide, type RefusalReason, type Resolve, type Rules, systemResolve } from './decide.ts';
import { type AllowPattern, isNeverPublic, parseAllow } from './patterns.ts';

/** A connection that was refused or failed. */
export interface EgressRefusal {
  readonly host: string;
  readonly port: number;
  readonly reason: RefusalReason;
  /** How many before it were not reported, because there were too many. */
  readonly untold: number;
}

/** A connection that was allowed. */
export interface EgressConnection {
  readonly host: string;
  readonly port: number;
  readonly address: string;
  /** How many before it were not reported, because there were too many. */
  readonly untold: number;
}

export interface EgressOptions {
  /** Patterns such as `api.example.com` or `*.example.org:443`. */
  readonly allow: readonly string[];
  /** The port of the proxy inside. Default: 3128. */
  readonly proxyPort?: number;
  /** For the audit log. In a flood, not every refusal is reported. */
  readonly onRefused?: (refusal: EgressRefusal) => void;
  /** For the audit log. In a flood, not every connection is reported. */
  readonly onAllowed?: (connection: EgressConnection) => void;
  /** Default: this machine's resolver. */
  readonly resolve?: Resolve;
  /** Addresses that may be reached although they are not public. Default: none. */
  readonly permitted?: (address: string) => boolean;
  /** At the same time. Default: 64. */
  readonly maxConnections?: number;
}

export const PROXY_PORT = 3128;
const MAX_CONNECTIONS = 64;
/** This many reports in a burst, and one more after each interval. */
const REPORT_BURST = 50;
const REPORT_INTERVAL_MS = 200;
/** Refusals that may be in transit; a runner refuses further connections itself. */
const MOST_REFUSED_AT_ONCE = 64;

export class Egress {
  /** Calls at the same time. Above the number of connections they are refused; more than this is a protocol violation. */
  readonly mostCalls: number;
  readonly #options: EgressOptions;
  readonly #rules: Rules;
  readonly #most: number;
  #open = 0;
  #reportsLeft = REPORT_BURST;
  #lastRefill = performance.now();
  #unreported = 0;

  /** Throws SANDBOX_NETWORK_PATTERN for an invalid pattern. */
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
      // First: a refusal is reported even if the runner has cancelled the call.
      if (!verdict.ok) return this.#refuse(host, port, verdict.reason);
      if (call.signal.aborted) return { end: 'cut' };
      const { address } = verdict;
      this.#report((untold) => this.#options.onAllowed?.({ host, port, address, untold }));
      const end = await carryConnection(address, port, call);
      return end === 'unreachable' ? this.#refuse(host, port, end) : { end };
    } finally {
      this.#open--;
    }
  }

  #refuse(host: string, port: number, reason: RefusalReason): ConnectResult {
    this.#report((untold) => this.#options.onRefused?.({ host, port, reason, untold }));
    return { end: 'refused', reason };
  }

  #report(report: (untold: number) => void): void {
    const now = performance.now();
    const earned = Math.floor((now - this.#lastRefill) / REPORT_INTERVAL_MS);
    if (earned > 0) {
      this.#reportsLeft = Math.min(REPORT_BURST, this.#reportsLeft + earned);
      this.#lastRefill = now;
    }
    if (this.#reportsLeft === 0) {
      this.#unreported++;
      return;
    }
    this.#reportsLeft--;
    report(this.#unreported);
    this.#unreported = 0;
  }
}

function patternOf(text: string, permitted: (address: string) => boolean): AllowPattern {
  const pattern = parseAllow(text);
  if (pattern === undefined)
    throw new Fault('SANDBOX_NETWORK_PATTERN', `invalid network pattern ${JSON.stringify(text)}`, {
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
