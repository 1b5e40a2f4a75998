/** Changes of a verb that are not written yet. Operands that do not touch each other are written together. */
import { dirname } from 'node:path';
import type { FileChange, Located } from '../shape.ts';

interface Mark {
  readonly flushed: number;
  readonly length: number;
}

export class Pending {
  readonly #commit: (changes: readonly FileChange[]) => void;
  #changes: FileChange[] = [];
  #flushed = 0;
  #paths = new Set<string>();
  #above = new Set<string>();

  constructor(commit: (changes: readonly FileChange[]) => void) {
    this.#commit = commit;
  }

  /** Writes what waits if it is about this path, a folder above it or something below it. */
  settle(path: string): void {
    let isTouched = this.#above.has(path);
    for (let at = path; !isTouched; at = dirname(at)) {
      isTouched = this.#paths.has(at);
      if (at === dirname(at)) break;
    }
    if (isTouched) this.flush();
  }

  add(...changes: readonly FileChange[]): void {
    this.#changes.push(...changes);
    for (const change of changes) for (const file of filesOf(change)) this.#note(file);
  }

  flush(): void {
    const changes = this.#changes;
    this.#changes = [];
    this.#flushed++;
    this.#paths = new Set();
    this.#above = new Set();
    if (changes.length > 0) this.#commit(changes);
  }

  mark(): Mark {
    return { flushed: this.#flushed, length: this.#changes.length };
  }

  /** Forgets what an operand has added since the mark, because it failed. */
  dropSince({ flushed, length }: Mark): void {
    this.#changes = flushed === this.#flushed ? this.#changes.slice(0, length) : [];
  }

  #note({ path }: Located): void {
    this.#paths.add(path);
    for (let at = dirname(path); !this.#above.has(at); at = dirname(at)) this.#above.add(at);
  }
}

function filesOf(change: FileChange): readonly Located[] {
  return 'moveTo' in change ? [change.file, change.moveTo] : [change.file];
}
