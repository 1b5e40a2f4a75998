import type { Binary } from '../../wire/policy.ts';
import { NAMED_BY_CALL } from '../programs/carriers.ts';
import { baseName } from '../programs/names.ts';

/** The pattern of a rule for a program. A path with wildcards could match more, so it has none. */
export function patternFor({ path, real }: Binary): string | undefined {
  if (/[*?]/.test(real)) return undefined;
  return NAMED_BY_CALL.has(baseName(real)) ? path : real;
}
