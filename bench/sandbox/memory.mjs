// @ts-check
/** What processes have for themselves. */
import { readdirSync, readFileSync } from 'node:fs';

/** The memory of these processes and all below them, what is shared counted in parts, in megabytes. @param {readonly number[]} roots */
export function memoryOf(roots) {
  const parents = new Map(
    readdirSync('/proc')
      .filter((name) => /^\d+$/u.test(name))
      .map((name) => [Number(name), parentOf(name)]),
  );
  const isBelow = (/** @type {number} */ pid) => {
    for (let at = pid; at > 1; at = parents.get(at) ?? 0) if (roots.includes(at)) return true;
    return false;
  };
  return [...parents.keys()].filter(isBelow).reduce((sum, pid) => sum + proportionalOf(pid), 0);
}

/** @param {string} pid */
function parentOf(pid) {
  try {
    return Number(readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)?.split(' ')[1]);
  } catch {
    return 0; // it has ended
  }
}

/** @param {number} pid */
function proportionalOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
    return Number(/^Pss:\s+(\d+)/mu.exec(text)?.[1] ?? 0) / 1024;
  } catch {
    return 0; // it has ended
  }
}
