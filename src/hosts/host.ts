/**
 * The interface of a host, which decides and runs a request. This machine, the sandboxes and the nodes are hosts. Sessions are in one
 * registry: a session refers to what a runner started and does not know its host.
 */
import type { NoLinks } from '../wire/chosen-node.ts';
import type { ExecContext, ExecOutcome, ExecRequest } from '../wire/exec.ts';
import type { NodeOrigin } from '../wire/chosen-node.ts';
import type { NodeInfo } from '../wire/nodes/node.ts';
import type { EffectivePolicy, HostName } from '../wire/policy.ts';
import type { Methods } from '../wire/methods.ts';
import type { ExecSettings } from '../wire/settings.ts';
import type { ApprovalRules, ConversationOverride } from './approvals/shape.ts';

/** The operator's settings, the rules of the approvals file, the values of the conversation, and the nodes. */
export interface PolicyInputs {
  readonly settings: ExecSettings;
  readonly approvals: ApprovalRules;
  readonly conversation: ConversationOverride;
  /** The nodes of this gateway; default: none. */
  readonly nodes?: () => readonly NodeInfo[];
  /** Whether nodes can connect to this process; default: yes. */
  readonly noLinks?: () => NoLinks | undefined;
}

/** `ask` is judged like any command on this machine; `full` needs no approval. */
export type Elevation = 'off' | 'ask' | 'full';

export interface Route {
  /** Whether it runs in a sandbox, which is then the boundary. */
  readonly isInside: boolean;
  /** Whether the caller has a sandbox, wherever this request runs. */
  readonly hasSandbox: boolean;
  readonly isJudged: boolean;
  /** Where it really runs; `effective.host` is `sandbox` also where sandboxing is off. */
  readonly runsOn: HostName;
  /** The node where it runs, and which layer chose it. */
  readonly node?: NodeInfo;
  readonly nodeFrom?: NodeOrigin;
  readonly effective: EffectivePolicy;
  readonly elevation: Elevation;
  readonly warnings: readonly string[];
}

export interface RoutedRequest {
  readonly request: ExecRequest;
  readonly context: ExecContext;
  readonly inputs: PolicyInputs;
  readonly route: Route;
}

export interface Host {
  /** Decides by the rules of this host, asks a person where they require it, starts, and waits as long as the call specifies. */
  exec(routed: RoutedRequest, signal?: AbortSignal): Promise<ExecOutcome>;
  /** What `exec` would decide; nothing runs and no person is asked. */
  explain(routed: RoutedRequest): Promise<Methods['policy.explain']['result']>;
  close(): Promise<void>;
}
