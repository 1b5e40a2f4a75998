/** Orders the values of policy settings by strictness. */
import { ASKS, SECURITIES, STARTERS } from '../../wire/policy.ts';

interface Order<T> {
  isTighterOrEqual(value: T, than: T): boolean;
}

function order<const T extends string>(...fromTightToLoose: readonly T[]): Order<T> {
  return { isTighterOrEqual: (value, than) => fromTightToLoose.indexOf(value) <= fromTightToLoose.indexOf(than) };
}

export const securities = order(...SECURITIES);
export const modes = order('all', 'non-main', 'off');
export const scopes = order('session', 'agent', 'shared');
export const staleChecks = order('refuse', 'advise', 'off');
export const accesses = order('none', 'ro', 'rw');
export const obeyedAnswers = order('quarantine', 'alert');
export const asks = order(...ASKS.toReversed());
export const starters = order(...STARTERS);
