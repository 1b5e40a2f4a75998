/** What a node puts before the name of an agent of a gateway: the id of the gateway. */
const GATEWAY = /^([a-z2-7]{32})\//u;

/** Whether the agent is one of a gateway that this machine is a node of. */
export function isGuestAgent(agent: string): boolean {
  return guestGateway(agent) !== undefined;
}

/** The id of the gateway of such an agent. */
export function guestGateway(agent: string): string | undefined {
  return GATEWAY.exec(agent)?.[1];
}

/** The name of an agent at its own gateway. */
export function withoutGateway(agent: string): string {
  return agent.replace(GATEWAY, '');
}
