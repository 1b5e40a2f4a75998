/** Judges one command of a pipeline. */
import type { AllowlistEntry, Binary, Lookup, Rule, Rules, Verdict } from '../wire/policy.ts';
import { denialOf } from './deny.ts';
import { carrierFinding, firstOf, MULTIPLEXERS, NAMED_BY_CALL } from './programs/carriers.ts';
import { type Finding, projectCode } from './programs/finding.ts';
import { flagFinding } from './programs/flags.ts';
import { judgeGit } from './programs/git.ts';
import { interpreterFinding } from './programs/interpreters.ts';
import { baseName, namesOf } from './programs/names.ts';
import { runnerFinding } from './programs/runners.ts';
import { shadowFinding } from './programs/shadowed-builtins.ts';
import { unwrap, WRAPPERS } from './programs/wrappers.ts';
import { allowlistMiss } from './allowlist-miss.ts';
import type { WorkBudget } from './work-budget.ts';
import { entryCovers } from './rules/rule-match.ts';
import { isSystemProgram } from './programs/trusted-programs.ts';
import { judgeSafeBin } from './safe-bins.ts';
import { BUILTINS } from './shell/reserved.ts';
import { forAgent, forOperator, type Hint } from './hint.ts';

export interface StageContext {
  readonly rules: Rules;
  readonly lookup: Lookup;
  readonly cwd: string;
  /** Shared by the whole judgement. */
  readonly budget: WorkBudget;
  /** The command runs in a shell that Pincer does not start, so Pincer cannot add arguments. */
  readonly foreignShell?: boolean | undefined;
  /** A shell other than bash may parse the text. */
  readonly anyShell?: boolean | undefined;
}

export interface StageDecision extends Partial<Hint> {
  readonly verdict: Verdict;
  readonly code: string;
  readonly reason: string;
  /** The index of the word it is about; 0 is the program. */
  readonly word: number;
  readonly binary?: Binary;
  readonly rule?: Rule;
  readonly explicit?: true;
  /** Why deny rules could not be decided from the words. */
  readonly unknownNames?: string;
  /** The argv to run: the program that a wrapper starts is replaced by its absolute path. */
  readonly argv: readonly string[];
  /** Programs that a wrapper starts. */
  readonly starts: readonly Binary[];
  /** Entries that would allow it; absent where none may be stored. */
  readonly proposal?: readonly AllowlistEntry[];
}

/** Nested wrappers. */
export const DEEPEST_WRAPPERS = 4;

export function decideStage(argv: readonly string[], context: StageContext, depth = 0): StageDecision {
  const { rules, lookup } = context;
  const word = argv[0]!;
  const args = argv.slice(1);
  const open = { argv, starts: [], word: 0 };
  if (BUILTINS.has(word)) return { ...open, ...builtin(word) };
  // A path that ends in a slash or dot is a folder: no shell would run it.
  const binary = word === '' || /\/\.{0,2}$/.test(word) ? undefined : lookup.find(word);
  const denial = denialOf(argv, {
    deny: rules.deny,
    lookup,
    cwd: context.cwd,
    budget: context.budget,
    anyShell: context.anyShell,
  });
  const unknown = denial?.unknown === undefined ? {} : { unknownNames: denial.unknown };
  const found = { ...open, ...(binary === undefined ? {} : { binary }), ...unknown };
  if (denial?.rule !== undefined) return { ...found, ...denied(denial.rule, denial.name ?? word) };
  if (binary === undefined) return { ...found, ...notFound(word, context) };
  const names = namesOf(word, binary);
  const finding = carrierFinding(names, args) ?? multiplexerFinding(names, word);
  if (finding !== undefined) return { ...found, ...ofFinding(finding) };
  const wrapper = firstOf(names, WRAPPERS);
  if (wrapper !== undefined) return { ...decideWrapper(wrapper, argv, binary, context, depth), ...unknown };
  const git = judgeGit(names, args, context);
  const inArguments =
    versionManagerFinding(binary) ??
    interpreterFinding(names, args) ??
    (git === undefined ? undefined : 'finding' in git ? git.finding : git.writes) ??
    runnerFinding(names, args) ??
    flagFinding(names, args) ??
    shadowFinding(names, args);
  const runs = git !== undefined && 'args' in git ? { argv: [word, ...git.args] } : {};
  if (inArguments !== undefined)
    return { ...found, ...runs, ...ofFindingInArguments(inArguments, { binary, args }, context) };
  return { ...found, ...runs, ...ofLists({ binary, args }, context) };
}

/** A version manager starts the program that files of the project choose, whatever the arguments. */
function versionManagerFinding({ real, versionSwitch }: Binary): Finding | undefined {
  if (versionSwitch === undefined) return undefined;
  return projectCode(
    0,
    `${real} is started through ${versionSwitch}, which lets files of the project choose the program`,
  );
}

/** A system wrapper adds nothing, so only its program is judged. Other wrappers, and removed variables, are judged as well. */
function decideWrapper(
  wrapper: string,
  argv: readonly string[],
  binary: Binary,
  context: StageContext,
  depth: number,
): StageDecision {
  const args = argv.slice(1);
  const open = { argv, starts: [], binary };
  const inside = unwrap(wrapper, args);
  if ('refused' in inside)
    return {
      ...open,
      verdict: 'deny',
      code: 'wrapper-option',
      reason: inside.why,
      ...forAgent(`leave it out, or run the program without ${wrapper}`),
      word: inside.refused + 1,
      explicit: true,
    };
  const own = { ...open, word: 0, ...ofLists({ binary, args }, context) };
  if ('runsNothing' in inside) return own;
  if (depth >= DEEPEST_WRAPPERS)
    return {
      ...open,
      verdict: 'deny',
      code: 'too-deep',
      reason: `more than ${DEEPEST_WRAPPERS} nested wrappers`,
      ...forAgent('run the inner program itself'),
      word: 0,
      explicit: true,
    };
  const innerAt = inside.inner + 1;
  const inner = decideStage(argv.slice(innerAt), context, depth + 1);
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
  if (inside.removesVariables !== true && isSystemProgram(wrapper, binary, context.rules))
    return { ...within, ...carried };
  const proposal =
    own.proposal === undefined || inner.proposal === undefined
      ? undefined
      : { proposal: [...own.proposal, ...inner.proposal] };
  const worse =
    inner.verdict === 'allow' || (own.verdict === 'deny' && inner.code !== 'deny-rule')
      ? { ...own, ...(inner.explicit === undefined ? {} : { explicit: inner.explicit }) }
      : within;
  const { proposal: _, ...decision } = worse;
  return { ...decision, ...carried, ...proposal };
}

type Decision = Omit<StageDecision, 'argv' | 'starts' | 'word' | 'binary'> & { readonly word?: number };

function ofLists(call: { readonly binary: Binary; readonly args: readonly string[] }, context: StageContext): Decision {
  const { rules, cwd } = context;
  const { binary, args } = call;
  const entry = rules.allowlist.find((one) => entryCovers(one, call, context));
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
    return {
      verdict: 'deny',
      code: 'safe-bin-arguments',
      reason: safe.reason,
      ...forOperator(safe.hint),
      word: safe.word,
    };
  return {
    verdict: 'ask',
    code: 'allowlist-miss',
    ...allowlistMiss(call, context),
    ...proposalFor(call, cwd),
  };
}

function ofFinding({ verdict, code, reason, hint, hintFor, word, explicit }: Finding): Decision {
  return { verdict, code, reason, hint, hintFor, word, ...(explicit === undefined ? {} : { explicit }) };
}

/** A finding about arguments can be approved for exactly these arguments, if the finding allows that. */
function ofFindingInArguments(
  finding: Finding,
  call: { readonly binary: Binary; readonly args: readonly string[] },
  context: StageContext,
): Decision {
  if (finding.storable !== true) return ofFinding(finding);
  const entry = context.rules.allowlist.find((one) => one.argv !== undefined && entryCovers(one, call, context));
  if (entry !== undefined)
    return {
      verdict: 'allow',
      code: 'allowlisted',
      reason: 'exactly this command is allowed',
      rule: entry,
      proposal: [],
    };
  // If only safeBins covers the program, arguments that its profile refuses cannot be stored either.
  const lists = ofLists(call, context);
  if (lists.code === 'safe-bin-arguments')
    return finding.explicit === undefined ? lists : { ...lists, explicit: finding.explicit };
  return { ...ofFinding(finding), ...proposalFor(call, context.cwd) };
}

/** The narrowest entry: this program, these arguments, this folder. A path with wildcards could match more. */
function proposalFor(
  { binary, args }: { readonly binary: Binary; readonly args: readonly string[] },
  cwd: string,
): Pick<StageDecision, 'proposal'> {
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
    reason: `${name} is a multi-call binary`,
    ...forAgent('call the program by its own name'),
    word: 0,
    explicit: true,
  };
}

function builtin(word: string): Decision {
  return {
    verdict: 'deny',
    code: 'builtin',
    reason: `${word} is a shell builtin, not a program`,
    ...forAgent(word === 'cd' ? 'choose the folder with workdir' : 'run the program itself'),
    explicit: true,
  };
}

function denied(rule: Rule, name: string): Decision {
  const why = rule.reason === undefined ? '' : `: ${rule.reason}`;
  return {
    verdict: 'deny',
    code: 'deny-rule',
    reason: `a deny rule for ${rule.pattern} forbids ${name}${why}`,
    ...forOperator('only the operator can change deny rules'),
    rule,
  };
}

function notFound(word: string, { foreignShell }: StageContext): Decision {
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

export function notFoundHint(word: string): string {
  if (/\s/.test(word)) return 'the command is one word: pass the program and its arguments as separate words';
  return word.includes('/') ? 'check the path' : 'check the name and PATH';
}
