/** One command of a pipeline: what decides about it, in the order in which it is asked. */
import type { AllowlistEntry, Binary, Lookup, Rule, Rules, Verdict } from '../wire/policy.ts';
import { denialOf } from './deny.ts';
import { carrierFinding, firstOf, MULTIPLEXERS, NAMED_BY_CALL } from './programs/carriers.ts';
import { type Finding, projectCode } from './programs/finding.ts';
import { flagFinding } from './programs/flags.ts';
import { judgeGit } from './programs/git.ts';
import { interpreterFinding } from './programs/interpreters.ts';
import { baseName, namesOf } from './programs/names.ts';
import { runnerFinding } from './programs/runners.ts';
import { shadowFinding } from './programs/shadows.ts';
import { unwrap, WRAPPERS } from './programs/wrappers.ts';
import { missOf } from './miss.ts';
import type { Effort } from './effort.ts';
import { entryCovers } from './rule-match.ts';
import { isOfTheSystem } from './programs/system.ts';
import { judgeSafeBin } from './safe-bins.ts';
import { BUILTINS } from './shell/reserved.ts';

export interface Bench {
  readonly rules: Rules;
  readonly lookup: Lookup;
  readonly cwd: string;
  /** What is left of it for the whole judgement. */
  readonly effort: Effort;
  /** The words run in a shell that is not ours: what we would add to them is not added there. */
  readonly foreignShell?: boolean | undefined;
  /** Another shell than bash would read the text. */
  readonly anyShell?: boolean | undefined;
}

/** What was decided about one command. */
export interface Decided {
  readonly verdict: Verdict;
  readonly code: string;
  readonly reason: string;
  readonly hint?: string;
  /** Which word it is about; 0 is the program. */
  readonly word: number;
  readonly binary?: Binary;
  readonly rule?: Rule;
  readonly explicit?: true;
  /** Why deny rules could not be answered from the words alone. */
  readonly unknownNames?: string;
  /** The argv to run: what a wrapper starts is named by its absolute path. */
  readonly argv: readonly string[];
  /** What a wrapper starts. */
  readonly starts: readonly Binary[];
  /** Entries that would let it pass; absent where nothing may be kept. */
  readonly proposal?: readonly AllowlistEntry[];
}

/** Wrappers within wrappers. */
export const DEEPEST_WRAPPERS = 4;

/** Judges the words of one command. */
export function decideStage(argv: readonly string[], bench: Bench, depth = 0): Decided {
  const { rules, lookup } = bench;
  const word = argv[0]!;
  const args = argv.slice(1);
  const open = { argv, starts: [], word: 0 };
  if (BUILTINS.has(word)) return { ...open, ...builtin(word) };
  // A path that ends like a folder is one: no shell would run the file of that name.
  const binary = word === '' || /\/\.{0,2}$/.test(word) ? undefined : lookup.find(word);
  const denial = denialOf(argv, {
    deny: rules.deny,
    lookup,
    cwd: bench.cwd,
    effort: bench.effort,
    anyShell: bench.anyShell,
  });
  const unknown = denial?.unknown === undefined ? {} : { unknownNames: denial.unknown };
  const found = { ...open, ...(binary === undefined ? {} : { binary }), ...unknown };
  if (denial?.rule !== undefined) return { ...found, ...denied(denial.rule, denial.name ?? word) };
  if (binary === undefined) return { ...found, ...notFound(word, bench) };
  const names = namesOf(word, binary);
  const finding = carrierFinding(names, args) ?? multiplexerFinding(names, word);
  if (finding !== undefined) return { ...found, ...ofFinding(finding) };
  const wrapper = firstOf(names, WRAPPERS);
  if (wrapper !== undefined) return { ...decideWrapper(wrapper, argv, binary, bench, depth), ...unknown };
  const git = judgeGit(names, args, bench);
  const inArguments =
    switchFinding(binary) ??
    interpreterFinding(names, args) ??
    (git === undefined ? undefined : 'finding' in git ? git.finding : git.writes) ??
    runnerFinding(names, args) ??
    flagFinding(names, args) ??
    shadowFinding(names, args);
  const runs = git !== undefined && 'args' in git ? { argv: [word, ...git.args] } : {};
  if (inArguments !== undefined)
    return { ...found, ...runs, ...ofFindingInArguments(inArguments, { binary, args }, bench) };
  return { ...found, ...runs, ...ofLists({ binary, args }, bench) };
}

/** A version manager starts whatever program files of the project name, whatever is asked. */
function switchFinding({ real, versionSwitch }: Binary): Finding | undefined {
  if (versionSwitch === undefined) return undefined;
  return projectCode(
    0,
    `${real} is started through ${versionSwitch}, which lets files of the project choose the program`,
  );
}

/**
 * A wrapper of the system adds nothing to what it starts, so that this alone decides. Another one, and one that takes
 * variables away, must pass as well.
 */
function decideWrapper(wrapper: string, argv: readonly string[], binary: Binary, bench: Bench, depth: number): Decided {
  const args = argv.slice(1);
  const open = { argv, starts: [], binary };
  const inside = unwrap(wrapper, args);
  if ('refused' in inside)
    return {
      ...open,
      verdict: 'deny',
      code: 'wrapper-option',
      reason: inside.why,
      hint: `leave it out, or run the program without ${wrapper}`,
      word: inside.refused + 1,
      explicit: true,
    };
  const own = { ...open, word: 0, ...ofLists({ binary, args }, bench) };
  if ('alone' in inside) return own;
  if (depth >= DEEPEST_WRAPPERS)
    return {
      ...open,
      verdict: 'deny',
      code: 'too-deep',
      reason: `more than ${DEEPEST_WRAPPERS} programs wrap each other`,
      hint: 'run the inner program itself',
      word: 0,
      explicit: true,
    };
  const innerAt = inside.inner + 1;
  const inner = decideStage(argv.slice(innerAt), bench, depth + 1);
  const runs =
    inner.binary === undefined
      ? undefined
      : NAMED_BY_CALL.has(baseName(inner.binary.real))
        ? inner.binary.path
        : inner.binary.real;
  const carried = {
    argv: runs === undefined ? argv : [...argv.slice(0, innerAt), runs, ...inner.argv.slice(1)],
    starts: inner.binary === undefined ? [] : [inner.binary, ...inner.starts],
    binary,
  };
  const within = { ...inner, word: innerAt + inner.word };
  if (inside.takesAway !== true && isOfTheSystem(wrapper, binary, bench.rules)) return { ...within, ...carried };
  const proposal =
    own.proposal === undefined || inner.proposal === undefined
      ? undefined
      : { proposal: [...own.proposal, ...inner.proposal] };
  const worse =
    inner.verdict === 'allow' || (own.verdict === 'deny' && inner.code !== 'deny-rule')
      ? { ...own, ...(inner.explicit === undefined ? {} : { explicit: inner.explicit }) }
      : within;
  const { proposal: _, ...told } = worse;
  return { ...told, ...carried, ...proposal };
}

type Outcome = Omit<Decided, 'argv' | 'starts' | 'word' | 'binary'> & { readonly word?: number };

function ofLists(call: { readonly binary: Binary; readonly args: readonly string[] }, bench: Bench): Outcome {
  const { rules, cwd } = bench;
  const { binary, args } = call;
  const entry = rules.allowlist.find((one) => entryCovers(one, call, bench));
  if (entry !== undefined)
    return {
      verdict: 'allow',
      code: 'allowlisted',
      reason: `${binary.real} is allowed by ${entry.pattern}`,
      rule: entry,
      proposal: [],
    };
  const safe = judgeSafeBin(binary, args, rules);
  if (safe?.safe === true)
    return { verdict: 'allow', code: 'safe-bin', reason: `${safe.name} only filters its input here`, proposal: [] };
  if (safe !== undefined)
    return { verdict: 'deny', code: 'safe-bin-arguments', reason: safe.reason, hint: safe.hint, word: safe.word };
  return {
    verdict: 'ask',
    code: 'allowlist-miss',
    ...missOf(call, bench),
    ...proposalFor(call, cwd),
  };
}

function ofFinding({ verdict, code, reason, hint, word, explicit }: Finding): Outcome {
  return { verdict, code, reason, hint, word, ...(explicit === undefined ? {} : { explicit }) };
}

/** What is asked about arguments can be answered once for exactly these, where the finding allows it. */
function ofFindingInArguments(
  finding: Finding,
  call: { readonly binary: Binary; readonly args: readonly string[] },
  bench: Bench,
): Outcome {
  if (finding.storable !== true) return ofFinding(finding);
  const entry = bench.rules.allowlist.find((one) => one.argv !== undefined && entryCovers(one, call, bench));
  if (entry !== undefined)
    return {
      verdict: 'allow',
      code: 'allowlisted',
      reason: `exactly this call of ${call.binary.real} is allowed`,
      rule: entry,
      proposal: [],
    };
  // Where only the list of safe bins speaks for the program, what it may not do there is not kept either.
  const lists = ofLists(call, bench);
  if (lists.code === 'safe-bin-arguments')
    return finding.explicit === undefined ? lists : { ...lists, explicit: finding.explicit };
  return { ...ofFinding(finding), ...proposalFor(call, bench.cwd) };
}

/** The narrowest entry: this program, these arguments, this folder. A path with wildcards in it could mean more. */
function proposalFor(
  { binary, args }: { readonly binary: Binary; readonly args: readonly string[] },
  cwd: string,
): Pick<Decided, 'proposal'> {
  if (/[*?]/.test(binary.real)) return {};
  const pattern = NAMED_BY_CALL.has(baseName(binary.real)) ? binary.path : binary.real;
  return { proposal: [{ pattern, argv: args, cwd, source: 'allow-always' }] };
}

function multiplexerFinding(names: ReadonlySet<string>, word: string): Finding | undefined {
  const name = firstOf(names, MULTIPLEXERS);
  if (name === undefined || (baseName(word) !== name && names.size > 1 && !namesOf(word, undefined).has(name)))
    return undefined;
  return {
    verdict: 'deny',
    code: 'multiplexer',
    reason: `${name} is many programs in one file`,
    hint: 'call the program by its own name',
    word: 0,
    explicit: true,
  };
}

function builtin(word: string): Outcome {
  return {
    verdict: 'deny',
    code: 'builtin',
    reason: `${word} is a command of the shell itself and no program`,
    hint: word === 'cd' ? 'choose the folder with workdir' : 'run the program that is meant',
    explicit: true,
  };
}

function denied(rule: Rule, name: string): Outcome {
  const why = rule.reason === undefined ? '' : `: ${rule.reason}`;
  return {
    verdict: 'deny',
    code: 'deny-rule',
    reason: `a deny rule for ${rule.pattern} forbids ${name}${why}`,
    hint: 'only the operator can change deny rules',
    rule,
  };
}

function notFound(word: string, { foreignShell }: Bench): Outcome {
  return {
    // Another shell may have a function of this name.
    verdict: foreignShell === true ? 'ask' : 'deny',
    code: 'not-found',
    reason: `there is no program ${JSON.stringify(word)}`,
    hint: notFoundHint(word),
    // What a wrapper would find when it runs is not what was judged.
    explicit: true,
  };
}

/** What to do about a word that names no program. */
export function notFoundHint(word: string): string {
  if (/\s/.test(word)) return 'the whole text is one word: give the program and its arguments as separate words';
  return word.includes('/') ? 'check the path' : 'check the name and PATH';
}
