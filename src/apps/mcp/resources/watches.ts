/** Tells of changes of files that somebody subscribed to: one watch for each file, however many ask. */
import { Fault } from '../../../base/fault.ts';
import type { Files } from '../../../hosts/files/shape.ts';
import { type Watch, watchFile } from '../../../hosts/files/watch.ts';
import { parseOcPath } from '../../../text/address/parse.ts';
import { addressOfUri } from './uri.ts';

/** Files that are watched at the same time, for everybody together. */
const MOST_FILES = 512;

interface Watched {
  readonly watch: Watch;
  readonly listeners: Set<() => void>;
}

export class FileWatches {
  readonly #watched = new Map<string, Watched>();

  /** Calls the listener after each change of the file of an address; gives what ends that. */
  add(files: Files, uri: string, onChange: () => void): () => void {
    const { path } = files.locate(parseOcPath(addressOfUri(uri)).file);
    const watched = this.#watched.get(path) ?? this.#begin(path);
    // The same function may be given twice: each call is a subscription of its own.
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

  /** Subscribes once, however often it is asked for. */
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
  return new Fault('READ_TOO_MANY_WATCHES', `${most} files are watched already`, {
    hint: 'unsubscribe from some of them first',
  });
}
