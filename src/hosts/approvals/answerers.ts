/** Names under which requests are answered without a person. */

/** `askFallback` of the approvals file. */
export const ASK_FALLBACK = 'askFallback';
/** The rules have changed, and allow it now. */
export const RULES_CHANGED = 'the rules';

export const NO_PERSONS: readonly string[] = [ASK_FALLBACK, RULES_CHANGED];

export function isNoPerson(name: string): boolean {
  return NO_PERSONS.includes(name);
}
