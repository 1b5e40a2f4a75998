/** Programs that another program starts: `-exec` of find, and `xargs`. */
import type { Binary, Lookup, Verdict } from '../../wire/policy.ts';
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

interface CarriedContext {
  readonly before?: readonly Earlier[] | undefined;
  readonly lookup: Pick<Lookup, 'leadsOut' | 'placeOf'>;
  readonly cwd: string;
}

/** Filters that print some of their lines as they are, with all options that they may have for it. */
const SELECTING: Readonly<Record<string, readonly string[]>> = {
  grep: '-v -i -E -F -w -x --invert-match --ignore-case --extended-regexp --fixed-strings'.split(' '),
  head: ['-n', '--lines'],
  sort: '-u -r --unique --reverse'.split(' '),
  tail: ['-n', '--lines'],
  uniq: [],
};

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
  { before = [], lookup, cwd }: CarriedContext,
): Finding | undefined {
  if (carried.length === 0) return undefined;
  const isInput = call.profile.operands?.includes('command') === true;
  const name = isInput ? call.values.find(({ option }) => option === '-I')?.text : '{}';
  for (const { at, word, verdict, reason, argv, described } of carried) {
    const no = (why: string, where = at): Finding => ({
      ...carrier(where, why, 'run the inner program itself'),
      verdict: 'ask',
    });
    if (verdict !== 'allow') return no(reason, at + word);
    const accepted = described?.accepted;
    if (accepted?.profile.anyArguments !== true || accepted.class !== 'read')
      return no(`${described?.name ?? 'the program'} may do more than read with the names that it gets`);
    const joined =
      name === undefined ? -1 : argv.findIndex((one, i) => one.includes(name) && (i === 0 || one !== name));
    if (joined >= 0) return no(`a name would become a part of ${argv[joined]}`, at + joined);
    // Names that find prints begin with the folder, never with a dash.
    const first = name === undefined ? argv.length : argv.indexOf(name);
    if (
      isInput &&
      accepted.profile.filesFrom === true &&
      argv[first - 1] !== '--' &&
      before[0]?.described?.name !== 'find'
    )
      return no(`a name that is an option of ${described?.name} would let it read further files`);
  }
  if (!isInput) return undefined;
  const problem = listProblem(before, { lookup, cwd, use: isWhole(call) ? 'whole' : 'split' });
  return problem === undefined
    ? undefined
    : { ...carrier(0, problem, 'use it behind find, ls or git ls-files'), verdict: 'ask' };
}

/** Whether xargs takes its input as names without splitting it at blanks. */
function isWhole({ options }: AcceptedCall): boolean {
  return options.has('-0') || options.has('--null');
}

interface ListContext extends Pick<CarriedContext, 'lookup' | 'cwd'> {
  readonly use: 'whole' | 'split';
}

/** Why the input is not names of files below folders of the workspace, from a program that lists them and filters that select lines. */
function listProblem([first, ...filters]: readonly Earlier[], { lookup, cwd, use }: ListContext): string | undefined {
  const { accepted: list, folder = cwd } = first?.described ?? {};
  const isSelection = filters.every(({ described }) => {
    const { name = '', accepted } = described ?? {};
    const known = Object.hasOwn(SELECTING, name) ? SELECTING[name]! : undefined;
    return (
      known !== undefined &&
      accepted?.files.length === 0 &&
      [...accepted.options].every((option) => known.includes(option))
    );
  });
  if (list?.lists !== true || !isSelection) return 'its input is not known to be a list of names in the workspace';
  for (const path of [cwd, folder, ...list.files.map((file) => file.path)])
    for (const from of new Set([cwd, folder])) {
      const problem = lookup.leadsOut(lookup.placeOf(path.startsWith('/') ? path : `${from}/${path}`), use);
      if (problem !== undefined) return `the names in its input are not safe: ${problem}`;
    }
  return undefined;
}
