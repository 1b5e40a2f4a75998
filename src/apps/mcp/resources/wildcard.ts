/** Wildcard matching in bounded time, because patterns are untrusted. */

/** The comparisons that are left; without any, nothing matches. */
export interface Budget {
  left: number;
}

/** Whether the items match a pattern whose stars match any number of items. */
export function fits<P, T>(
  pattern: readonly P[],
  items: ArrayLike<T>,
  isStar: (part: P) => boolean,
  isOne: (part: P, item: T) => boolean,
  budget: Budget,
): boolean {
  let part = 0;
  let at = 0;
  // The position and extent of the last star: only that one is ever extended.
  let star = -1;
  let reach = 0;
  while (at < items.length) {
    budget.left -= 1;
    if (budget.left < 0) return false;
    if (part < pattern.length && isStar(pattern[part]!)) {
      star = part;
      reach = at;
      part += 1;
    } else if (part < pattern.length && isOne(pattern[part]!, items[at]!)) {
      part += 1;
      at += 1;
    } else if (star >= 0) {
      reach += 1;
      at = reach;
      part = star + 1;
    } else return false;
  }
  while (part < pattern.length && isStar(pattern[part]!)) part += 1;
  return part === pattern.length;
}
