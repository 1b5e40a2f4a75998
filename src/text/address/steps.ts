import type { OcPath, Slot } from './address.ts';
import { isPatternSub, readSub, splitSlot, type Sub } from './sub.ts';

/** One sub-segment of an address. */
export interface Step {
  readonly slot: Slot;
  readonly sub: Sub;
  readonly spelling: string;
}

/** The steps of an address, from the root of the document down. */
export function stepsOf(path: OcPath): Step[] {
  const steps: Step[] = [];
  for (const slot of ['section', 'item', 'field'] as const) {
    const text = path[slot];
    if (text === undefined) continue;
    for (const spelling of splitSlot(text, text)) steps.push({ slot, sub: readSub(spelling, text), spelling });
  }
  return steps;
}

/** Whether an address may match many places: wildcards, unions, predicates. */
export function isPattern(path: OcPath): boolean {
  return stepsOf(path).some((step) => isPatternSub(step.sub));
}

/**
 * An upper bound for how often a pattern traverses a document. `**` visits every place at every later step; without it, each
 * place is visited by one step. Each alternative of a union is a separate search.
 */
export function passesOf(steps: readonly Step[]): number {
  const each = steps.map(({ sub }) => (sub.type === 'union' ? sub.alternatives.length : 1));
  const hasDeep = steps.some(({ sub }) => sub.type === 'deep');
  return hasDeep ? each.reduce((sum, count) => sum + count, 1) : Math.max(1, ...each);
}

/** Whether a step of the address is `+`, `+key` or `+N`. */
export function hasInsertion(path: OcPath): boolean {
  return stepsOf(path).some((step) => step.sub.type === 'insert');
}
