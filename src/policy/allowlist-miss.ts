/** Explains why no allowlist entry covers a call, and which entry would. */
import type { AllowlistEntry, Rules } from '../wire/policy.ts';
import { baseName } from './programs/names.ts';
import { type Call, entryCovers, patternMatches, type MatchContext } from './rules/rule-match.ts';
import { shapeText } from '../wire/rules/shape.ts';
import { forAgent, forOperator, type Hint } from './hint.ts';

const LONGEST = 60;

/** Names an entry that looks right but does not match. */
export function allowlistMiss(
  call: Call,
  { rules, ...context }: MatchContext & { readonly rules: Rules },
): Hint & { readonly reason: string } {
  const { binary } = call;
  const { cwd, lookup } = context;
  const past = rules.expired?.find((entry) => entryCovers(entry, call, context));
  if (past?.expiresAt !== undefined)
    return {
      reason: `the entry for ${past.pattern} that allowed this expired at ${new Date(past.expiresAt).toISOString()}`,
      ...forOperator('a person can allow it again: pincer approvals list shows the request'),
    };
  const near = rules.allowlist.filter(({ pattern }) => patternMatches(pattern, binary, lookup));
  const elsewhere = near.find((entry) => entryCovers(entry, call, { ...context, cwd: entry.cwd ?? cwd }));
  if (elsewhere?.cwd !== undefined)
    return {
      reason: `the entry for ${elsewhere.pattern} applies in ${elsewhere.cwd}, not in ${cwd}`,
      ...forAgent(`run it with workdir ${elsewhere.cwd}, or add an entry for this folder`),
    };
  if (near[0] !== undefined)
    return {
      reason: `the entry for ${near[0].pattern} allows ${allowed(near[0])}, not ${quoted(call.args)}`,
      ...forAgent('call it with arguments that an entry allows, or add an entry for these'),
    };
  const names = [baseName(binary.path), baseName(binary.real)];
  const bare = rules.allowlist.find(({ pattern }) => names.includes(pattern));
  return {
    reason: `${binary.real} is not on the allowlist`,
    ...forOperator(
      bare === undefined
        ? `allow it: pincer approvals allowlist add ${binary.real}`
        : `the entry ${JSON.stringify(bare.pattern)} is a bare name and never matches; write ${binary.real}`,
    ),
  };
}

function allowed({ argv, words, args, argPattern, shapes, cwd }: AllowlistEntry): string {
  const parts = [
    ...(argv === undefined ? [] : [quoted(argv)]),
    ...(args === undefined ? [] : [args.map((prefix) => quoted([prefix])).join(' or ')]),
    ...(words === undefined ? [] : [quoted(words)]),
    ...(shapes === undefined ? [] : [shapes.map((one) => quoted([shapeText(one)])).join(' or ')]),
    ...(argPattern === undefined ? [] : [`what matches /${shortened(argPattern)}/`]),
  ];
  return `${parts.join(' and ')}${cwd === undefined ? '' : ` in ${cwd}`}`;
}

function quoted(words: readonly string[]): string {
  return words.length === 0 ? 'no arguments' : `\`${shortened(words.join(' '))}\``;
}

function shortened(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
