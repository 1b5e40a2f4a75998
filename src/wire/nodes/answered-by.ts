/** Of the id of a gateway in the names of people who answered there. */
const SHOWN_ID = 8;

/** The name under which a node records a person who answered at its gateway. */
export function answeredBy(person: string, gateway: string): string {
  return `${person} at gateway ${gateway.slice(0, SHOWN_ID)}`;
}
