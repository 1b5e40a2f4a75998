/**
 * Commands with a terminal: the agent that types into it controls the program. What is typed later needs no judgement of its own,
 * because a session has an open input only where its start was judged with one.
 */
import type { Binary, Judgement, Rules } from '../wire/policy.ts';
import { describe, isTrusted } from './grammar/described.ts';
import { describedCall } from './grammar/described-call.ts';
import { forAgent } from './hint.ts';
import { namesOf } from './programs/names.ts';

/**
 * Asks for a command with a terminal, unless the profiles of all its programs say that they take no commands from keys.
 * `isForeign`: a shell that Pincer does not start runs it, without what profiles add.
 */
export function withTerminal(judgement: Judgement, rules: Rules, cwd: string, isForeign = false): Judgement {
  if (judgement.verdict !== 'allow') return judgement;
  const other = unsafeProgram(judgement, rules, cwd, isForeign);
  if (other === undefined) return judgement;
  const { proposal: _, ...rest } = judgement;
  return {
    ...rest,
    verdict: 'ask',
    code: 'interactive',
    reason: `${other} is not known to ignore what is typed into its terminal, and the agent can type anything`,
    ...forAgent('run it without pty, or have it approved'),
    explicit: true,
  };
}

/** Adds to an approval request what approving a terminal includes. */
export function askedWithTerminal(judgement: Judgement, rules: Rules, cwd: string): Judgement {
  const isSafe = judgement.plan !== undefined && unsafeProgram(judgement, rules, cwd) === undefined;
  if (judgement.verdict !== 'ask' || judgement.code === 'interactive' || isSafe) return judgement;
  return { ...judgement, reason: `${judgement.reason}; with a terminal, the agent can type anything into it` };
}

/** The first program that may take commands from keys, also among those that wrappers start. */
function unsafeProgram({ plan, stages }: Judgement, rules: Rules, cwd: string, isForeign = false): string | undefined {
  for (const { argv, binary } of stages) {
    if (binary === undefined) continue;
    const call = describedCall(binary, argv.slice(1), namesOf(argv[0]!, binary), { rules, cwd });
    if (call?.accepted === undefined || !isSafe(binary, rules, isForeign)) return binary.real;
  }
  return plan?.stages.flatMap(({ starts = [] }) => starts).find((binary) => !isSafe(binary, rules, isForeign))?.real;
}

function isSafe(binary: Binary, rules: Rules, isForeign: boolean): boolean {
  const profile = describe(binary, rules)?.profile;
  if (profile?.terminal !== 'safe' || !isTrusted(binary, rules)) return false;
  // Git opens pagers and editors where nothing switches them off.
  return !isForeign || (profile.grammar !== 'git' && profile.forced === undefined);
}
