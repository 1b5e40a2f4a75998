/** Something came out of a sandbox that its agent never says. */
export class Breach extends Error {
  override readonly name = 'Breach';
}

/** Throws a Breach unless the condition holds. */
export function expectThat(condition: boolean, otherwise: string): asserts condition {
  if (!condition) throw new Breach(otherwise);
}
