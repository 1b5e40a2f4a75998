import type { Binary, Rules } from '../../wire/policy.ts';
import { type Verb, VERBS } from '../../wire/steps.ts';
import type { DescribedCall } from './described-call.ts';
import { isTrusted } from './described.ts';

/** Programs that run, and whose output replaces the file. */
const IN_PLACE: ReadonlySet<Verb> = new Set(['sed', 'gofmt']);

/** The verb that a step does instead of starting the program, for calls that write in the workspace. */
export function verbOf(
  binary: Binary,
  described: DescribedCall | undefined,
  rules: Pick<Rules, 'safeBinTrustedDirs'>,
): Verb | undefined {
  const verb = VERBS.find((one) => one === described?.name);
  return described?.accepted?.class === 'workspace' && isTrusted(binary, rules) ? verb : undefined;
}

/** Whether a verb changes single files, and no folders. */
export function isInPlace(verb: Verb): boolean {
  return IN_PLACE.has(verb);
}
