/** What viewers see of rules: no secrets. */
import { withoutSecrets } from '../../../../config/secrets/without-secrets.ts';
import type { RulesDocument } from '../../../../wire/methods/rules-methods.ts';
import type { PageCall } from './page-method.ts';

/** A viewer sees the entries, and not the document, which an operator may write back. */
export function shownRules(rules: RulesDocument, { login }: Pick<PageCall, 'login'>): RulesDocument {
  if (login.role === 'operator') return rules;
  const allowlist = rules.allowlist.map((row) => ({ ...row, entry: withoutSecrets(row.entry, []) }));
  return { ...rules, document: null, allowlist: allowlist as RulesDocument['allowlist'] };
}

/** Judgements and reports quote rules, which only an operator sees without a mask. */
export function shownJudgement(result: unknown, { login }: Pick<PageCall, 'login'>): unknown {
  return login.role === 'operator' ? result : withoutSecrets(result, []);
}
