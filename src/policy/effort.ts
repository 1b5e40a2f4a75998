/** How much work one judgement may take: whoever writes the command chooses how much there would be. */

/** Steps of regular expressions at worst: about 100 ms. */
const MOST_STEPS = 5e7;
/** Commands that deny rules are held against: a name that is not known is looked for in every folder of PATH. */
const MOST_CALLS = 400;

export class Effort {
  #steps = MOST_STEPS;
  #calls = MOST_CALLS;

  /** Whether a match of so many steps may still be tried; then they are spent. */
  mayMatch(steps: number): boolean {
    if (steps > this.#steps) return false;
    this.#steps -= steps;
    return true;
  }

  get callsLeft(): number {
    return Math.max(0, this.#calls);
  }

  /** Whether one more command may be looked at. */
  mayLook(): boolean {
    return --this.#calls >= 0;
  }
}
