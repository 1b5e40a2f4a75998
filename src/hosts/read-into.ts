/** A socket that reads into one buffer, as with the option `onread`, which Node has not for sockets that a server accepted. */
import { type OnReadOpts, Socket, type SocketConstructorOpts } from 'node:net';

interface Internals {
  readonly _handle?: { readonly useUserBuffer?: (buffer: Uint8Array) => void } | null;
  [field: symbol]: unknown;
}

interface Fields {
  readonly buffer: symbol;
  readonly callback: symbol;
}

/** The fields that Node sets for `onread`; false where it has others. Found by the first socket. */
let fields: Fields | false | undefined;

/**
 * From now on the callback gets what arrives, before the next read begins; nothing may wait in the socket. Returns false where
 * Node cannot do it: the socket is unchanged.
 */
export function readInto(socket: Socket, buffer: Uint8Array, callback: OnReadOpts['callback']): boolean {
  fields ??= findFields();
  const internals = socket as unknown as Internals;
  const { _handle: handle } = internals;
  if (fields === false || typeof handle?.useUserBuffer !== 'function' || socket.readableLength > 0) return false;
  internals[fields.buffer] = buffer;
  internals[fields.callback] = callback;
  handle.useUserBuffer(buffer);
  return true;
}

function findFields(): Fields | false {
  const buffer = new Uint8Array(1);
  const callback = (): boolean => true;
  const options: SocketConstructorOpts & { readonly onread: OnReadOpts } = { onread: { buffer, callback } };
  const example = new Socket(options) as unknown as Internals;
  const holding = (value: unknown) => Object.getOwnPropertySymbols(example).filter((field) => example[field] === value);
  const [buffers, callbacks] = [holding(buffer), holding(callback)];
  if (buffers.length !== 1 || callbacks.length !== 1) return false;
  return { buffer: buffers[0]!, callback: callbacks[0]! };
}
