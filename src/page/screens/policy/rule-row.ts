import type { RulesDocument } from '../../../wire/methods/rules-methods.ts';

/** An entry of an allowlist, with its agent. */
export type RuleRow = RulesDocument['allowlist'][number];
