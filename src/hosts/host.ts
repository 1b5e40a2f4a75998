/**
 * THE SHAPE of a host: where a request is decided and run. This machine and the sandboxes are hosts. Sessions are in one
 * registry: a session holds what a runner has started, and does not know its host.
 */
import type { ExecContext, ExecOutcome, ExecRequest } from '../wire/exec.ts';
import type { EffectivePolicy } from '../wire/policy.ts';
import type { Methods } from '../wire/methods.ts';
import type { ExecSettings } from '../wire/settings.ts';
import type { ApprovalRules, ConversationOverride } from './approvals/shape.ts';

/** The settings of the operator, the rules of the approvals file and the values of the conversation. */
export interface PolicyInputs {
  readonly settings: ExecSettings;
  readonly approvals: ApprovalRules;
  readonly conversation: ConversationOverride;
}

/** `ask` is judged as any command on this machine is; `full` is not asked about. */
export type Elevation = 'off' | 'ask' | 'full';

/** Where a request runs and which policy decides about it. */
export interface Route {
  /** Whether it runs in a sandbox, which is then the boundary. */
  readonly isInside: boolean;
  /** Whether a sandbox belongs to the caller, wherever this request runs. */
  readonly hasSandbox: boolean;
  /** Whether policy is consulted. */
  readonly isJudged: boolean;
  readonly effective: EffectivePolicy;
  readonly elevation: Elevation;
  readonly warnings: readonly string[];
}

/** A request with its route. */
export interface RoutedRequest {
  readonly request: ExecRequest;
  readonly context: ExecContext;
  readonly inputs: PolicyInputs;
  readonly route: Route;
}

export interface Host {
  /** Decides by the rules of this host, asks where they say so, starts, and waits as long as the call wants. */
  exec(routed: RoutedRequest, signal?: AbortSignal): Promise<ExecOutcome>;
  /** What `exec` would decide; nothing runs and nobody is asked. */
  explain(routed: RoutedRequest): Promise<Methods['policy.explain']['result']>;
  /** Ends all that runs on it. */
  close(): Promise<void>;
}
