/** The other end sent something that the protocol does not allow. */
export class ProtocolViolation extends Error {
  override readonly name = 'ProtocolViolation';

  constructor(what: string) {
    super(`protocol violation: ${what}`);
  }
}

export function expectThat(condition: boolean, otherwise: string): asserts condition {
  if (!condition) throw new ProtocolViolation(otherwise);
}
