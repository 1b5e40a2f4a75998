/** Programs that another program starts: `-exec` of find, and `xargs`. */
import type { Binary, Verdict } from '../../wire/policy.ts';
import { carrier, type Finding } from '../programs/finding.ts';
import type { DescribedCall } from './described-call.ts';
import type { AcceptedCall } from './match.ts';

/** The decision about a carried program. */
export interface CarriedDecision {
  /** The index of its first word in argv, and how many words it has there. */
  readonly at: number;
  readonly length: number;
  readonly verdict: Verdict;
  readonly reason: string;
  readonly word: number;
  readonly argv: readonly string[];
  readonly binary?: Binary;
  readonly described?: DescribedCall;
}

/** A stage whose output the program gets. */
interface Earlier {
  readonly described?: DescribedCall;
}

/** Filters that print lines as they are. */
const SELECTING = new Set('cat head tail sort uniq shuf tac grep'.split(' '));
/** Options with which they print something else. */
const CHANGING = new Set(
  '-o --only-matching -c --count -n --line-number -b --byte-offset -H -A -B -C --context'.split(' '),
);

/** The argv to run: options that the profile adds, and carried programs by their real paths. */
export function withCarried(
  argv: readonly string[],
  carried: readonly CarriedDecision[],
  accepted: AcceptedCall | undefined,
): readonly string[] {
  const added = accepted?.profile.forced?.argv ?? [];
  if (carried.length === 0) return added.length === 0 ? argv : [argv[0]!, ...added, ...argv.slice(1)];
  const runs = [...argv];
  for (const { at, length, argv: words, binary } of carried.toReversed())
    if (binary !== undefined) runs.splice(at, length, binary.real, ...words.slice(1));
  return runs;
}

/** Why carried programs need approval. Their further arguments are names that nobody has judged. */
export function carriedFinding(
  carried: readonly CarriedDecision[],
  call: AcceptedCall,
  before: readonly Earlier[],
): Finding | undefined {
  for (const { at, word, verdict, reason, described } of carried) {
    const no = (why: string, where = at): Finding => ({
      ...carrier(where, why, 'run the inner program itself'),
      verdict: 'ask',
    });
    if (verdict !== 'allow') return no(reason, at + word);
    const accepted = described?.accepted;
    if (accepted?.profile.anyArguments !== true || accepted.class !== 'read')
      return no(`${described?.name ?? 'the program'} may do more than read with the names that it gets`);
  }
  if (carried.length === 0 || call.profile.operands?.includes('command') !== true) return undefined;
  return listsNames(before)
    ? undefined
    : {
        ...carrier(
          0,
          'its input is not known to be a list of names in the workspace',
          'use it behind find, ls or git ls-files',
        ),
        verdict: 'ask',
      };
}

/** Whether the input is names from a program that lists them, with filters between that select lines. */
function listsNames(before: readonly Earlier[]): boolean {
  const [first, ...filters] = before;
  if (first?.described?.accepted?.lists !== true) return false;
  return filters.every(({ described }) => {
    const { name = '', accepted } = described ?? {};
    return (
      SELECTING.has(name) &&
      accepted?.files.length === 0 &&
      ![...accepted.options].some((option) => CHANGING.has(option))
    );
  });
}
