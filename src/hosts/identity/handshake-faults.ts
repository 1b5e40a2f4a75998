/** Why one end of a handshake refuses the other. */
import { Fault } from '../../base/fault.ts';

/** The highest version that both speak. */
export function commonProtocol(
  node: { readonly min: number; readonly max: number },
  gateway: { readonly min: number; readonly max: number },
): number {
  const highest = Math.min(node.max, gateway.max);
  if (highest >= Math.max(node.min, gateway.min)) return highest;
  throw new Fault(
    'NODE_PROTOCOL',
    `the node speaks protocol ${node.min} to ${node.max}, the gateway ${gateway.min} to ${gateway.max}`,
    { hint: `update pincer on the ${node.max < gateway.min ? 'node' : 'gateway'}` },
  );
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
