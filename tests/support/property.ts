/** fast-check with the budget of the tier. Tests import it from here and never from the package. */
import fc from 'fast-check';
import { GIVEN_SEED, runs } from './budget.ts';

fc.configureGlobal({ numRuns: runs(100), ...(GIVEN_SEED === undefined ? {} : { seed: GIVEN_SEED }) });

const FIRST_SURROGATE = 0xd800;
const SURROGATES = 0x800;
const LAST_CHARACTER = 0x10ffff;

/** Any character, as `unit` of a string. It gives what 'binary' gives, which builds a map of 130 MB to shrink. */
export const anyCharacter = fc.nat(LAST_CHARACTER - SURROGATES).map(
  (index) => String.fromCodePoint(index < FIRST_SURROGATE ? index : index + SURROGATES),
  (text) => {
    const code = typeof text === 'string' && /^[^\p{Cs}]$/u.test(text) ? text.codePointAt(0)! : undefined;
    if (code === undefined) throw new Error('not a character'); // fast-check asks about any value
    return code < FIRST_SURROGATE ? code : code - SURROGATES;
  },
);

export { fc, runs };
export { timeoutFor } from './budget.ts';
