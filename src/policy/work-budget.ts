/** Limits the work of one judgement: the author of the command decides how much there would be. */

/** Worst-case steps of regular expressions: about 100 ms. */
const MOST_STEPS = 5e7;
/** Commands checked against deny rules: an unknown name is looked up in every folder of PATH. */
const MOST_CALLS = 400;

/** Folders that patterns list, and names that they match: each name is looked up as a file. */
const MOST_FOLDERS = 1_000;
const MOST_NAMES = 10_000;

export class WorkBudget {
  #folders = MOST_FOLDERS;
  #names = MOST_NAMES;
  #steps = MOST_STEPS;
  #calls = MOST_CALLS;

  /** Spends the steps if so many are left. */
  mayMatch(steps: number): boolean {
    if (steps > this.#steps) return false;
    this.#steps -= steps;
    return true;
  }

  get callsLeft(): number {
    return Math.max(0, this.#calls);
  }

  mayList(): boolean {
    return --this.#folders >= 0;
  }

  mayTake(names: number): boolean {
    this.#names -= names;
    return this.#names >= 0;
  }

  mayCheck(): boolean {
    return --this.#calls >= 0;
  }
}
