/** Judges one command of a pipeline. */
import type { AllowlistEntry, Binary, ChangedText, Lookup, Risk, Rule, Rules, Verdict } from '../wire/policy.ts';
import { denialOf } from './deny.ts';
import { carrierFinding, firstOf, NAMED_BY_CALL } from './programs/carriers.ts';
import { type Finding, inputFinding, projectCode } from './programs/finding.ts';
import { flagFinding } from './programs/flags.ts';
import { judgeGit } from './programs/git.ts';
import { interpreterFinding, isInterpreter } from './programs/interpreters.ts';
import { baseName, namesOf } from './programs/names.ts';
import { isRunner, runnerFinding } from './programs/runners.ts';
import { builtin, DEEPEST_WRAPPERS, denied, multiplexerFinding, notFound, tooDeep } from './programs/refusals.ts';
import { shadowFinding } from './programs/shadowed-builtins.ts';
import { unwrap, WRAPPERS } from './programs/wrappers.ts';
import { allowlistMiss } from './allowlist-miss.ts';
import type { WorkBudget } from './work-budget.ts';
import { changedText, obeyedTexts } from './bindings/obeyed-texts.ts';
import {
  type Call,
  changedSince,
  entryCovers,
  hasNoFurtherOptions,
  isForCall,
  namesArguments,
} from './rules/rule-match.ts';
import { patternFor } from './rules/rule-for-call.ts';
import { isPlainName } from './programs/plain-programs.ts';
import { isSystemProgram } from './programs/trusted-programs.ts';
import { newShape, unprofiledFinding } from './unprofiled/unprofiled.ts';
import { judgeSafeBin } from './safe-bins.ts';
import { type DescribedCall, describedCall, riskOf } from './grammar/described-call.ts';
import { coveredByStarter, coversByEntry, notCovered, STARTER } from './grammar/cover.ts';
import { carriedFinding, withCarried } from './grammar/carried.ts';
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
  /** Its input comes from another command, a file or a text. */
  readonly isPiped?: boolean | undefined;
  /** Programs that write in the workspace are done through the file boundary, so `starter` may cover them. */
  readonly hasVerbs?: boolean | undefined;
  /** The stages whose output is its input, in order. */
  readonly before?: readonly StageDecision[] | undefined;
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
  /** A rule allows it in the sandbox of the agent only. */
  readonly allowedIn?: 'sandbox';
  /** What changed in the texts that a rule is bound to. */
  readonly changed?: readonly ChangedText[];
  /** Entries that would allow it; absent where none may be stored. */
  readonly proposal?: readonly AllowlistEntry[];
  readonly risk?: Risk;
  /** What its profile says about the call. */
  readonly described?: DescribedCall;
  /** Variables that its profile adds. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Wrappers that need no entry of their own before what `starter` covers. In another shell, `nohup` may write to a file. */
const STARTER_WRAPPERS = ['timeout', 'nice', 'nohup'];

export function decideStage(argv: readonly string[], context: StageContext, depth = 0): StageDecision {
  const { rules, lookup } = context;
  const [word = '', ...args] = argv;
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
  const described = describedCall(binary, args, names, context);
  const finding =
    (described?.accepted === undefined ? carrierFinding(names, args) : undefined) ?? multiplexerFinding(names, word);
  if (finding !== undefined) return { ...found, ...ofFinding(finding) };
  const wrapper = firstOf(names, WRAPPERS);
  if (wrapper !== undefined) return { ...decideWrapper(wrapper, argv, binary, context, depth), ...unknown };
  return decideProgram({ word, argv, args, binary, names, described, found }, context, depth);
}

interface ProgramCall {
  readonly word: string;
  readonly argv: readonly string[];
  readonly args: readonly string[];
  readonly binary: Binary;
  readonly names: ReadonlySet<string>;
  readonly described: DescribedCall | undefined;
  /** What is known about the program, for the decision. */
  readonly found: Pick<StageDecision, 'argv' | 'starts' | 'word' | 'binary' | 'unknownNames'>;
}

function decideProgram(program: ProgramCall, context: StageContext, depth: number): StageDecision {
  const { word, argv, args, binary, names, described } = program;
  const accepted = described?.accepted;
  const git = judgeGit(names, args, context, accepted !== undefined);
  const ofGit = git === undefined ? undefined : 'finding' in git ? git.finding : git.writes;
  const isTooDeep = depth >= DEEPEST_WRAPPERS && (accepted?.carried.length ?? 0) > 0;
  // What another program starts is not done through the file boundary.
  const within = { ...context, before: undefined, hasVerbs: false };
  const inner = isTooDeep
    ? []
    : (accepted?.carried ?? []).map(({ word: at, words }) => ({
        at,
        length: words.length,
        ...decideStage(words, within, depth + 1),
      }));
  const runs = git !== undefined && 'args' in git ? [word, ...git.args] : withCarried(argv, inner, accepted);
  const risk = riskOf(described);
  const env = accepted?.profile.forced?.env;
  const found = {
    ...program.found,
    argv: runs,
    risk,
    ...(inner.length === 0
      ? {}
      : { starts: inner.flatMap(({ binary: one, starts }) => (one === undefined ? [] : [one, ...starts])) }),
    ...(described === undefined ? {} : { described }),
    ...(env === undefined ? {} : { env }),
  };
  const call = { binary, args, described };
  const known =
    versionManagerFinding(binary) ??
    (accepted === undefined
      ? ((described?.finding?.code === 'inline-code' ? described.finding : interpreterFinding(names, args)) ??
        ofGit ??
        runnerFinding(names, args) ??
        flagFinding(names, args))
      : (ofGit ?? (isTooDeep ? tooDeep() : carriedFinding(inner, accepted, context)))) ??
    shadowFinding(names, args);
  const finding = known ?? (judgeSafeBin(binary, args, context.rules)?.safe === true ? undefined : unlisted(described));
  if (finding !== undefined) return { ...found, ...withRisk(ofFindingInArguments(finding, call, context), risk) };
  return { ...found, ...withRisk(inputDecision(ofLists(call, context), call, context), risk) };
}

/** Why the profile of a program does not accept a call, where no table decides about it instead. */
function unlisted(described: DescribedCall | undefined): Finding | undefined {
  return described?.isUnknownSubcommand === true || described?.runsFile === true ? undefined : described?.finding;
}

/** Input is closed to a program whose profile does not say that it is only data. */
function inputDecision(decision: Decision, call: ListedCall, context: StageContext): Decision {
  const accepted = call.described?.accepted;
  if (decision.verdict !== 'allow' || context.isPiped !== true || accepted === undefined) return decision;
  if (call.described!.runsFile || (accepted.profile.stdin ?? call.described!.stdin) === 'data') return decision;
  return ofFindingInArguments(inputFinding(call.described!.name), call, context);
}

/** What a finding is about raises the risk of the call. */
function withRisk(decision: Decision, risk: Risk): Decision {
  const { code, verdict } = decision;
  if (verdict === 'allow') return { ...decision, risk };
  const raised = Object.hasOwn(RISKS, code) ? RISKS[code]! : risk;
  return { ...decision, risk: raised };
}

const RISKS: Readonly<Record<string, Risk>> = {
  'read-outside': 'outside',
  'write-outside': 'outside',
  'outside-workspace': 'outside',
  'read-secret': 'secret',
  'inline-code': 'inline-code',
  'project-code': 'project',
};

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
  if (depth >= DEEPEST_WRAPPERS) return { ...open, ...tooDeep() };
  const innerAt = inside.inner + 1;
  const inner = decideStage(argv.slice(innerAt), { ...context, hasVerbs: false }, depth + 1);
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
  const addsNothing = inside.removesVariables !== true && isSystemProgram(wrapper, binary, context.rules);
  const isQuiet = STARTER_WRAPPERS.includes(wrapper) && (wrapper !== 'nohup' || context.foreignShell !== true);
  if (addsNothing && (inner.code !== STARTER || isQuiet)) return { ...within, ...carried };
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

/** A call of a program with its profile. */
interface ListedCall extends Call {
  readonly described?: DescribedCall | undefined;
}

function ofLists(call: ListedCall, context: StageContext): Decision {
  const { rules } = context;
  const { binary, args, described } = call;
  const covering = coveringEntries(rules.allowlist, call, context);
  const unprofiled = { ...context, isInTable: isInTable(binary) };
  const uncovered = covering.map((one) =>
    described === undefined ? unprofiledFinding(one, call, unprofiled) : undefined,
  );
  const entry = covering.find((_, i) => uncovered[i] === undefined);
  if (entry !== undefined)
    return allowedBy(
      entry,
      entry.said === undefined ? `${binary.real} is allowed by ${entry.pattern}` : `${entry.said} is allowed`,
    );
  if (uncovered[0] !== undefined)
    return uncovered[0].isKeptExactly === true ? { ...uncovered[0], ...proposalFor(call, context) } : uncovered[0];
  const withoutShapes = rules.allowlist.flatMap(({ shapes, ...one }) => (shapes === undefined ? [] : [one]));
  if (described === undefined && withoutShapes.some((one) => entryCovers(one, call, context)))
    return newShape(call, context);
  const safe = judgeSafeBin(binary, args, rules);
  if (safe?.safe === true)
    return { verdict: 'allow', code: 'safe-bin', reason: `${safe.name} only filters its input here`, proposal: [] };
  const starter = coveredByStarter(binary, described, context);
  if (starter !== undefined && 'code' in starter) return { ...ofFinding(starter), ...proposalFor(call, context) };
  if (starter !== undefined) return { verdict: 'allow', code: STARTER, reason: starter.reason, proposal: [] };
  if (safe !== undefined)
    return {
      verdict: 'deny',
      code: 'safe-bin-arguments',
      reason: safe.reason,
      ...forOperator(safe.hint),
      word: safe.word,
    };
  const proposal = proposalFor(call, context);
  const changed = ruleChanged(rules.allowlist, call, context);
  if (changed !== undefined) return { verdict: 'ask', ...changed, ...proposal };
  const finding = rules.allowlist.some((one) => entryCovers(one, call, context)) ? notCovered(described) : undefined;
  if (finding !== undefined) return { ...ofFinding(finding), ...proposal };
  return { verdict: 'ask', code: 'allowlist-miss', ...allowlistMiss(call, context), ...proposal };
}

/** Entries for this machine come first: a command of one for the sandbox does not run here. */
function coveringEntries(
  entries: readonly AllowlistEntry[],
  call: ListedCall,
  context: StageContext,
): readonly AllowlistEntry[] {
  const covering = entries.filter(
    (one) =>
      entryCovers(one, call, context) && coversByEntry(one, call.described, context) && acceptsFurther(one, call),
  );
  return [
    ...covering.filter(({ where }) => where !== 'sandbox'),
    ...covering.filter(({ where }) => where === 'sandbox'),
  ];
}

/** A profile, or the script that gets them, decides about further options; without one, none is accepted. */
function acceptsFurther(entry: AllowlistEntry, { args, described }: ListedCall): boolean {
  const isDecided = described?.accepted !== undefined || described?.runsFile === true;
  return isDecided || hasNoFurtherOptions(entry, args);
}

function allowedBy(rule: AllowlistEntry, reason: string): Decision {
  if (rule.where !== 'sandbox') return { verdict: 'allow', code: 'allowlisted', reason, rule, proposal: [] };
  return {
    verdict: 'ask',
    code: 'sandbox-only',
    reason: `${reason} in the sandbox only`,
    ...forOperator('allow it on this machine, too: pincer allow'),
    rule,
    allowedIn: 'sandbox',
  };
}

/** An entry would allow the call if the texts that it is bound to were still the same. */
function ruleChanged(
  entries: readonly AllowlistEntry[],
  call: Call,
  context: StageContext,
): (Pick<StageDecision, 'code' | 'reason' | 'changed'> & Hint) | undefined {
  const entry = entries.find((one) => one.bound !== undefined && isForCall(one, call, context));
  if (entry === undefined) return undefined;
  const changed = changedSince(entry, call, context);
  return {
    code: 'rule-changed',
    reason: `it was allowed, but ${changedText(changed)}`,
    changed,
    ...forOperator('a person can allow it again after reading the difference'),
  };
}

/** Whether a table says which of its options are dangerous. */
function isInTable({ path, real }: Binary): boolean {
  return [...namesOf(path, undefined), ...namesOf(real, undefined)].some(
    (name) => name === 'git' || isPlainName(name) || isInterpreter(name) || isRunner(name) || WRAPPERS.has(name),
  );
}

function ofFinding({ verdict, code, reason, hint, hintFor, word, explicit }: Finding): Decision {
  return { verdict, code, reason, hint, hintFor, word, ...(explicit === undefined ? {} : { explicit }) };
}

/** A finding about arguments can be approved for exactly these arguments, if the finding allows that. */
function ofFindingInArguments(finding: Finding, call: ListedCall, context: StageContext): Decision {
  if (finding.storable !== true) return ofFinding(finding);
  const named = context.rules.allowlist.filter((one) => mayCover(one, finding));
  const [entry] = coveringEntries(named, call, context);
  if (entry !== undefined)
    return allowedBy(
      entry,
      entry.argv !== undefined ? 'exactly this command is allowed' : `${entry.said ?? entry.pattern} is allowed`,
    );
  const changed = ruleChanged(named, call, context);
  // If only safeBins covers the program, arguments that its profile refuses cannot be stored either.
  const lists = ofLists(call, context);
  if (lists.code === 'safe-bin-arguments')
    return finding.explicit === undefined ? lists : { ...lists, explicit: finding.explicit };
  return { ...ofFinding(finding), ...changed, ...proposalFor(call, context) };
}

/** Whether an entry may allow what a finding is about. Further words after `*` are not shown to a person, so they allow less. */
function mayCover(entry: AllowlistEntry, { code }: Finding): boolean {
  return namesArguments(entry) && (entry.words?.at(-1) !== '*' || code === 'project-code');
}

/** The narrowest entry: this program, these arguments, this folder, and the texts that decide what it does. */
function proposalFor(call: Call, { cwd, lookup }: StageContext): Pick<StageDecision, 'proposal'> {
  const pattern = patternFor(call.binary);
  const texts = obeyedTexts(call, { cwd, lookup });
  if (pattern === undefined || (texts !== undefined && 'unbindable' in texts)) return {};
  // Also without a text, such as a remote or a hook: one that is added later asks again.
  const bound = texts === undefined ? {} : { bound: texts.texts };
  return { proposal: [{ pattern, argv: call.args, cwd, ...bound, source: 'allow-always' }] };
}
