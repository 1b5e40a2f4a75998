/** Commands that no entry allows: built-ins, programs that do not exist, programs of many names, deny rules. */
import type { Rule } from '../../wire/policy.ts';
import { forAgent, forOperator, notFoundHint } from '../hint.ts';
import { firstOf, MULTIPLEXERS } from './carriers.ts';
import type { Finding } from './finding.ts';
import { baseName, namesOf } from './names.ts';

/** Nested wrappers. */
export const DEEPEST_WRAPPERS = 4;

export function tooDeep(): Finding {
  return {
    verdict: 'deny',
    code: 'too-deep',
    reason: `more than ${DEEPEST_WRAPPERS} nested wrappers`,
    ...forAgent('run the inner program itself'),
    word: 0,
    explicit: true,
  };
}

/** A file of many programs that is not called by the name of one. */
export function multiplexerFinding(names: ReadonlySet<string>, word: string): Finding | undefined {
  const name = firstOf(names, MULTIPLEXERS);
  if (name === undefined || (baseName(word) !== name && names.size > 1 && !namesOf(word, undefined).has(name)))
    return undefined;
  return {
    verdict: 'deny',
    code: 'multiplexer',
    reason: `${name} is a multi-call binary`,
    ...forAgent('call the program by its own name'),
    word: 0,
    explicit: true,
  };
}

type Refusal = Omit<Finding, 'word'> & { readonly word?: number };

export function builtin(word: string): Refusal {
  return {
    verdict: 'deny',
    code: 'builtin',
    reason: `${word} is a shell builtin, not a program`,
    ...forAgent(word === 'cd' ? 'choose the folder with workdir' : 'run the program itself'),
    explicit: true,
  };
}

export function denied(rule: Rule, name: string): Refusal & { readonly rule: Rule } {
  const why = rule.reason === undefined ? '' : `: ${rule.reason}`;
  return {
    verdict: 'deny',
    code: 'deny-rule',
    reason: `a deny rule for ${rule.pattern} forbids ${name}${why}`,
    ...forOperator('only the operator can change deny rules'),
    rule,
  };
}

export function notFound(word: string, { foreignShell }: { readonly foreignShell?: boolean | undefined }): Refusal {
  return {
    // Another shell may define a function of this name.
    verdict: foreignShell === true ? 'ask' : 'deny',
    code: 'not-found',
    reason: `there is no program ${JSON.stringify(word)}`,
    ...forAgent(notFoundHint(word)),
    // A wrapper could find another program at run time than the one that was judged.
    explicit: true,
  };
}
