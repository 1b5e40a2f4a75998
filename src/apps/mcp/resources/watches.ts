/** Notifies subscribers of file changes, with one watch for each file. */
import { Fault } from '../../../base/fault.ts';
import type { Files } from '../../../hosts/files/shape.ts';
import { type Watch, watchFile } from '../../../hosts/files/watch.ts';
import { parseOcPath } from '../../../text/address/parse.ts';
import { addressOfUri } from './uri.ts';

/** The most files that are watched at the same time, for all clients together. */
const MOST_FILES = 512;

interface Watched {
  readonly watch: Watch;
  readonly listeners: Set<() => void>;
}

export class FileWatches {
  readonly #watched = new Map<string, Watched>();

  /** Calls the listener after each change of the file of an address; returns the function that unsubscribes. */
  add(files: Files, uri: string, onChange: () => void): () => void {
    const { path } = files.locate(parseOcPath(addressOfUri(uri)).file);
    const watched = this.#watched.get(path) ?? this.#begin(path);
    // The same function may be passed twice: each call is a separate subscription.
    const listener = (): void => onChange();
    watched.listeners.add(listener);
    return () => {
      if (!watched.listeners.delete(listener) || watched.listeners.size > 0) return;
      watched.watch.close();
      this.#watched.delete(path);
    };
  }

  #begin(path: string): Watched {
    if (this.#watched.size >= MOST_FILES) throw tooMany(MOST_FILES);
    const listeners = new Set<() => void>();
    const watch = watchFile(path, () => {
      for (const listener of listeners) listener();
    });
    const watched = { watch, listeners };
    this.#watched.set(path, watched);
    return watched;
  }
}

/** The subscriptions of one connection, by their URIs. */
export class Subscriptions {
  static readonly MOST = 64;
  readonly #ends = new Map<string, () => void>();

  /** Repeated calls have no effect. */
  add(uri: string, begin: () => () => void): void {
    if (this.#ends.has(uri)) return;
    if (this.#ends.size >= Subscriptions.MOST) throw tooMany(Subscriptions.MOST);
    this.#ends.set(uri, begin());
  }

  remove(uri: string): void {
    this.#ends.get(uri)?.();
    this.#ends.delete(uri);
  }

  clear(): void {
    for (const end of this.#ends.values()) end();
    this.#ends.clear();
  }
}

function tooMany(most: number): Fault {
  return new Fault('READ_TOO_MANY_WATCHES', `the limit of ${most} watched files is reached`, {
    hint: 'unsubscribe from some of them first',
  });
}
