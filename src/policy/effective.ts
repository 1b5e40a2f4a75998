/** The policy in force: the strictest of the approvals file, the conversation (or else the configuration), and the call. */
import type { HostName } from '../wire/exec.ts';
import { ASKS, SECURITIES, type Ask, type EffectivePolicy, type Security } from '../wire/policy.ts';

/** What one layer says; undefined where it says nothing. */
export interface PolicyLayer {
  readonly host?: HostName | undefined;
  readonly security?: Security | undefined;
  readonly ask?: Ask | undefined;
  readonly node?: string | undefined;
}

export interface PolicyLayers {
  /** The configuration; a value of a variable is one of the environment. */
  readonly config: PolicyLayer & { readonly places?: Readonly<Record<Named, { readonly variable?: string }>> };
  /** What `/exec` said: it takes the place of the configuration, value by value. */
  readonly conversation: PolicyLayer;
  readonly call: PolicyLayer;
  readonly approvals: {
    readonly security?: Security | undefined;
    readonly ask?: Ask | undefined;
    readonly askFallback?: Security | undefined;
    readonly broken?: string | undefined;
  };
}

type Named = 'host' | 'security' | 'ask';
type LayerValue<T> = readonly [value: T | undefined, from: string];

/** Which values hold, and which layer each of them comes from. */
export function effectivePolicy({ config, conversation, call, approvals }: PolicyLayers): EffectivePolicy {
  const [host, hostFrom] = hostOf(config, conversation, call);
  const chosen = <T>(name: Named, a: T | undefined, b: T | undefined, otherwise: T): readonly [T, string] =>
    a !== undefined ? [a, 'conversation'] : b !== undefined ? [b, layerOf(config, name)] : [otherwise, 'default'];
  const [security, securityFrom] = strictest(
    SECURITIES,
    chosen('security', conversation.security, config.security, host === 'sandbox' ? 'deny' : 'allowlist'),
    [
      [approvals.broken === undefined ? approvals.security : 'deny', 'approvals'],
      [call.security, 'call'],
    ],
  );
  const [ask, askFrom] = strictest(ASKS.toReversed(), chosen<Ask>('ask', conversation.ask, config.ask, 'on-miss'), [
    [approvals.ask, 'approvals'],
    [call.ask, 'call'],
  ]);
  const askFallback = approvals.broken === undefined ? approvals.askFallback : 'deny';
  const node = call.node ?? conversation.node ?? config.node;
  return {
    host,
    security,
    ask,
    askFallback: askFallback ?? 'deny',
    ...(node === undefined ? {} : { node }),
    from: {
      host: hostFrom,
      security: securityFrom,
      ask: askFrom,
      askFallback: askFallback === undefined ? 'default' : 'approvals',
    },
  };
}

function layerOf({ places }: PolicyLayers['config'], name: Named): string {
  return places?.[name].variable === undefined ? 'config' : 'environment';
}

/** A call may choose a host where more is judged; it may not leave one for the sandbox, where nothing is. */
function hostOf(
  config: PolicyLayers['config'],
  conversation: PolicyLayer,
  call: PolicyLayer,
): readonly [HostName, string] {
  const usual = conversation.host ?? config.host ?? 'sandbox';
  const from =
    conversation.host !== undefined ? 'conversation' : config.host !== undefined ? layerOf(config, 'host') : 'default';
  return call.host === undefined || call.host === usual || call.host === 'sandbox'
    ? [usual, from]
    : [call.host, 'call'];
}

/** The first layer keeps its value unless a later one is stricter. */
function strictest<T>(
  order: readonly T[],
  first: readonly [T, string],
  others: readonly LayerValue<T>[],
): readonly [T, string] {
  let held = first;
  for (const [value, from] of others)
    if (value !== undefined && order.indexOf(value) < order.indexOf(held[0])) held = [value, from];
  return held;
}
