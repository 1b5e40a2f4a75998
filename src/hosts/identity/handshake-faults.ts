/** Why one end of a handshake refuses the other. */
import { Fault } from '../../base/fault.ts';

/** The highest version that both speak. */
export function commonProtocol(
  node: { readonly min: number; readonly max: number },
  gateway: { readonly min: number; readonly max: number },
): number {
  const highest = Math.min(node.max, gateway.max);
  if (highest >= Math.max(node.min, gateway.min)) return highest;
  const hint = `update pincer on the ${node.max < gateway.min ? 'node' : 'gateway'}`;
  // The message has it, too: logs and states show no hints.
  throw new Fault(
    'NODE_PROTOCOL',
    `the node speaks protocol ${rangeText(node)}, and the gateway ${rangeText(gateway)}; ${hint}`,
    { hint },
  );
}

function rangeText({ min, max }: { readonly min: number; readonly max: number }): string {
  return min === max ? String(min) : `${min} to ${max}`;
}

export function anotherGateway(wanted: string, found: string): Fault {
  return new Fault('NODE_IDENTITY', `the gateway is ${found}, and this node expects ${wanted}`, {
    hint: 'if the gateway was reinstalled, run "pincer node forget" and pair again',
  });
}

export function noMember(id: string): Fault {
  return new Fault('NODE_IDENTITY', `the gateway ${id} is not paired with this node, and not in its fleet`, {
    hint: 'all gateways of a fleet need credentials that the same pincer nodes nats-setup wrote',
  });
}

/** `wasBound`: an earlier connection ended at the gateway itself. */
export function unboundGateway(wasBound: boolean): Fault {
  return new Fault('NODE_IDENTITY', 'the gateway does not see the TLS connection of this node', {
    hint: wasBound
      ? 'this node is paired without a proxy: connect directly; or remove it at the gateway, run pincer node forget here, and pair again'
      : 'connect to the gateway directly; where your own proxy terminates TLS, pair with its invitation, or with --proxy',
  });
}
