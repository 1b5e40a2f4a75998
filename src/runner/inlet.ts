/** Passes input on to a program, and says how much of it was taken. */
import type { Writable } from 'node:stream';
import type { FrameSender } from '../hosts/channel/sending.ts';

export interface Inlet {
  write(bytes: Uint8Array): void;
  /** The program reads the end after what was written before. */
  end(): void;
  close(): void;
}

/** Tells the gateway once when the program reads no more, unless it was closed before. */
export function openInlet(target: Writable, id: number, sender: FrameSender): Inlet {
  let isClosed = false;
  const broken = (): void => {
    if (isClosed) return;
    isClosed = true;
    sender.message(id, { type: 'inputClosed' });
    target.destroy();
  };
  target.on('error', broken);
  return {
    write(bytes) {
      if (isClosed) return;
      const { length } = bytes;
      target.write(new Uint8Array(bytes), (error) => {
        if (error !== undefined && error !== null) broken();
        else if (!isClosed) sender.credit(id, 'in', length);
      });
    },
    end: () => target.end(),
    close() {
      isClosed = true;
      target.destroy();
    },
  };
}
