// @ts-check
/** How often a person would be asked, for 100 commands of a corpus. */
import { machine, namesIn, placed } from './scratch.mjs';

/**
 * @typedef {import('../../src/wire/policy.ts').Judgement} Judgement
 * @typedef {import('../../src/wire/policy.ts').AllowlistEntry} AllowlistEntry
 * @typedef {{ command: string, source: string }} Sample
 * @typedef {{ asked: number, reasons: Map<string, { count: number, examples: string[] }> }} Figure
 */

const RULES = /** @type {const} */ ({
  deny: [],
  safeBins: [],
  safeBinProfiles: {},
  safeBinTrustedDirs: [],
  strictInlineEval: true,
  compound: 'steps',
  unprofiled: 'shapes',
  starter: 'workspace',
});

/**
 * @param {typeof import('./parts.ts')} parts @param {import('./scratch.mjs').Scratch} scratch @param {readonly Sample[]} samples
 * @returns {{ fresh: Figure, kept: Figure, sandboxed: Figure, rules: number }}
 */
export function countQuestions(parts, scratch, samples) {
  const names = namesIn(samples.map(({ command }) => command));
  const fresh = newFigure();
  const kept = newFigure();
  const sandboxed = newFigure();
  /** @type {Map<string, AllowlistEntry[]>} */
  const rulesKept = new Map();
  /** @type {Map<string, AllowlistEntry[]>} */
  const rulesOutside = new Map();
  for (const { command: text, source } of samples) {
    const command = placed(text, scratch);
    const judged = (/** @type {readonly AllowlistEntry[]} */ allowlist) =>
      parts.judgeCall(
        { command, unlisted: [], pty: false },
        { ...RULES, allowlist },
        machine(parts, scratch, names),
        scratch.project,
      );
    const first = judged([]);
    // A program that does not exist is refused without a question.
    if (first.verdict === 'allow' || first.code === 'not-found') continue;
    note(fresh, first, text);
    const own = rulesKept.get(source) ?? [];
    rulesKept.set(source, own);
    const again = judged(own);
    if (again.verdict !== 'allow' && again.code !== 'not-found') {
      note(kept, again, text);
      own.push(...rulesFor(parts, scratch, names, again));
    }
    if (runsInSandbox(parts, first)) continue;
    const outside = rulesOutside.get(source) ?? [];
    rulesOutside.set(source, outside);
    const third = judged(outside);
    if (third.verdict === 'allow' || runsInSandbox(parts, third)) continue;
    note(sandboxed, third, text);
    outside.push(...rulesFor(parts, scratch, names, third));
  }
  const rules = [...rulesKept.values()].reduce((sum, { length }) => sum + length, 0);
  return { fresh, kept, sandboxed, rules };
}

/** @returns {Figure} */
function newFigure() {
  return { asked: 0, reasons: new Map() };
}

/** @param {Figure} figure @param {Judgement} judgement @param {string} text */
function note(figure, judgement, text) {
  figure.asked++;
  const stage = judgement.stages.find(({ verdict }) => verdict !== 'allow');
  const key = [judgement.risk ?? '-', judgement.code, stage?.argv.slice(0, 2).join(' ') ?? ''].join(' | ').slice(0, 80);
  const reason = figure.reasons.get(key) ?? { count: 0, examples: [] };
  figure.reasons.set(key, reason);
  reason.count++;
  if (reason.examples.length < 2)
    reason.examples.push(`${judgement.reason.slice(0, 160)} <= ${JSON.stringify(text.slice(0, 160))}`);
}

/** @param {typeof import('./parts.ts')} parts @param {Judgement} judgement */
function runsInSandbox(parts, judgement) {
  const policy = /** @type {const} */ ({ security: 'allowlist', ask: 'on-miss', onMiss: 'sandbox' });
  return parts.runsInSandbox(policy, parts.decide(policy, judgement));
}

/**
 * The rules that a person keeps after this question: one for each command that asks.
 * @param {typeof import('./parts.ts')} parts @param {import('./scratch.mjs').Scratch} scratch @param {ReadonlySet<string>} names
 * @param {Judgement} judgement @returns {readonly AllowlistEntry[]}
 */
function rulesFor(parts, scratch, names, judgement) {
  const lookup = machine(parts, scratch, names);
  const options = { cwd: scratch.project, below: scratch.project, lookup, isUnbound: true };
  return judgement.stages
    .filter(({ verdict, code }) => verdict !== 'allow' && code !== 'inline-code')
    .flatMap(({ argv, risk }) => {
      const folder = risk === 'outside' || argv[0] === 'cd' ? outsideFolder(argv, scratch) : undefined;
      if (folder !== undefined) return ACCESS.map((access) => ({ pattern: folder, access }));
      // With further words, and exactly these where the profile does not accept such words.
      const [name = '', sub = ''] = argv;
      const open = /^[a-z][\w:-]*$/u.test(sub) ? `${name} ${sub} *` : `${name} *`;
      return [open, argv.map(quoted).join(' ')].flatMap((said) => {
        const rule = parts.ruleForCommand(said, options);
        return 'refused' in rule ? [] : [rule.entry];
      });
    });
}

const ACCESS = /** @type {const} */ (['read', 'write']);

/** @param {string} word */
function quoted(word) {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** The first folder below the other projects, or else the folder of the path. @param {readonly string[]} argv @param {import('./scratch.mjs').Scratch} scratch */
function outsideFolder(argv, { project, home, root }) {
  const path = argv
    .slice(1)
    .map((arg) => arg.replace(/^~/u, home))
    .find((arg) => arg.startsWith('/') && !arg.startsWith(project));
  if (path?.startsWith(`${root}/other/`))
    return path
      .split('/')
      .slice(0, root.split('/').length + 2)
      .join('/');
  return path?.replace(/(?<=\/[^/]+)\/[^/]*$/u, '');
}
