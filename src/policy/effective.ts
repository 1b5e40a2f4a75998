/** The effective policy: the strictest of the approvals file, the conversation (or else the configuration), and the call. */
import type { HostName } from '../wire/exec.ts';
import { ASKS, SECURITIES, type Ask, type EffectivePolicy, type Security } from '../wire/policy.ts';

/** The values that one layer sets. */
export interface PolicyLayer {
  readonly host?: HostName | undefined;
  readonly security?: Security | undefined;
  readonly ask?: Ask | undefined;
  readonly node?: string | undefined;
}

export interface PolicyLayers {
  /** The configuration. Values set by environment variables are reported as layer `environment`. */
  readonly config: PolicyLayer & { readonly places?: Readonly<Record<Named, { readonly variable?: string }>> };
  /** Values set with `/exec`; each overrides the configuration. */
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

/** The effective values, and the layer that each comes from. */
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
    askFallback: askFallbackOf(approvals),
    ...(node === undefined ? {} : { node }),
    from: {
      host: hostFrom,
      security: securityFrom,
      ask: askFrom,
      askFallback: askFallback === undefined ? 'default' : 'approvals',
    },
  };
}

/** What decides about a request that no person answers. Only the approvals file sets it. */
export function askFallbackOf({ askFallback = 'deny', broken }: PolicyLayers['approvals']): Security {
  return broken === undefined ? askFallback : 'deny';
}

function layerOf({ places }: PolicyLayers['config'], name: Named): string {
  return places?.[name].variable === undefined ? 'config' : 'environment';
}

/** A call may choose a host that is judged more strictly. It may not choose the sandbox, where nothing is judged. */
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

function strictest<T>(
  order: readonly T[],
  first: readonly [T, string],
  others: readonly LayerValue<T>[],
): readonly [T, string] {
  let result = first;
  for (const [value, from] of others)
    if (value !== undefined && order.indexOf(value) < order.indexOf(result[0])) result = [value, from];
  return result;
}
