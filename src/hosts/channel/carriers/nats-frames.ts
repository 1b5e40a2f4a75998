/**
 * The frames of one connection over NATS:
 *   u8 kind · 16 bytes connection · u48 number · payload        (little-endian)
 * NATS also delivers what an earlier connection sent, so each frame names its connection.
 */

export const NATS_KINDS = {
  /** Node to gateway: a new connection. The payload is the id of the gateway. Repeated until it is accepted. */
  open: 1,
  accept: 2,
  /** A message, or its last part. */
  data: 3,
  /** A part of a message. More follow. */
  part: 4,
  /** The payload is the number of bytes that the receiver has taken, in all. */
  credit: 5,
  /** The payload is the reason. */
  close: 6,
  /** Gateway to node: all earlier connections are gone. */
  restarted: 7,
  /** Node to all gateways: which of them have this node? Each answers on a subject of its own. */
  find: 8,
} as const;
export type NatsKind = (typeof NATS_KINDS)[keyof typeof NATS_KINDS];

export interface NatsFrame {
  readonly kind: number;
  /** Hexadecimal. */
  readonly connection: string;
  readonly number: number;
  readonly payload: Uint8Array;
}

const CONNECTION_BYTES = 16;
const NUMBER_AT = 1 + CONNECTION_BYTES;
const NUMBER_BYTES = 6;
export const NATS_HEADER_BYTES = NUMBER_AT + NUMBER_BYTES;
export const NO_CONNECTION = '00'.repeat(CONNECTION_BYTES);

export function natsFrame(
  kind: NatsKind,
  connection: string,
  number = 0,
  payload: Uint8Array = new Uint8Array(0),
): Uint8Array {
  const bytes = Buffer.allocUnsafe(NATS_HEADER_BYTES + payload.length);
  bytes[0] = kind;
  bytes.write(connection, 1, CONNECTION_BYTES, 'hex');
  bytes.writeUIntLE(number, NUMBER_AT, NUMBER_BYTES);
  bytes.set(payload, NATS_HEADER_BYTES);
  return bytes;
}

/** Undefined where the bytes are too few for a frame. */
export function readNatsFrame(bytes: Uint8Array): NatsFrame | undefined {
  if (bytes.length < NATS_HEADER_BYTES) return undefined;
  const frame = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return {
    kind: frame[0]!,
    connection: frame.toString('hex', 1, NUMBER_AT),
    number: frame.readUIntLE(NUMBER_AT, NUMBER_BYTES),
    payload: frame.subarray(NATS_HEADER_BYTES),
  };
}

/** The payload of `credit`. */
export function creditPayload(bytes: number): Uint8Array {
  const payload = Buffer.alloc(NUMBER_BYTES);
  payload.writeUIntLE(bytes, 0, NUMBER_BYTES);
  return payload;
}

export function readCredit(payload: Uint8Array): number | undefined {
  return payload.length === NUMBER_BYTES ? Buffer.from(payload).readUIntLE(0, NUMBER_BYTES) : undefined;
}
