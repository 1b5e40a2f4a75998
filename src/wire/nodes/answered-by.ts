/** Of the id of a gateway in the names of people who answered there. */
const SHOWN_ID = 8;

/** The name under which a node records a person who answered at its gateway. */
export function answeredBy(person: string, gateway: string): string {
  return `${person} at gateway ${gateway.slice(0, SHOWN_ID)}`;
}

const AT_GATEWAY = new RegExp(` at gateway .{0,${SHOWN_ID}}$`, 'su');

/** Whether a node recorded the answer of a person at its gateway under this name. */
export function isAnsweredAtGateway(name: string): boolean {
  return AT_GATEWAY.test(name);
}
