/** What `pincer policy explain` answers: what would really happen to a command, and what the rules say about it. */
import { valuesText } from '../../../hosts/gateway/posture/posture.ts';
import { finalJudgement, treatmentOf } from '../../../hosts/gateway/treatment.ts';
import { decide } from '../../../policy/decide.ts';
import { explainJudgement, MARKS, shownText } from '../../../policy/explain.ts';
import type { Judgement } from '../../../wire/policy.ts';
import type { Posture } from '../../../wire/posture.ts';
import { brokenText, postureText } from '../../terminal/posture-lines.ts';
import type { RulesInForce } from './rules.ts';

export interface Explanation {
  /** What would happen; its verdict is the exit code. */
  readonly answer: Judgement;
  /** What would happen with host=gateway; present where commands run without being judged. */
  readonly onGateway?: Judgement;
}

/** Decides about a judged command as the gateway does. */
export function explanationOf(rules: RulesInForce, judged: Judgement): Explanation {
  const { posture, broken, gateway, settings } = rules;
  if (posture === undefined || settings === undefined || gateway === undefined) {
    // Only rules are known: what the usual policy makes of them.
    return { answer: decide(broken === undefined ? USUAL : { ...USUAL, security: 'deny' }, judged) };
  }
  const effective = posture.isJudged ? posture.effective : gateway;
  const judgement = decide(effective, judged);
  const final = finalJudgement(judgement, treatmentOf({ settings, effective, judgement }));
  const runsNothing = posture.kind === 'denied' || posture.kind === 'failing';
  if (runsNothing && final.verdict !== 'deny') return { answer: refused(posture, final) };
  if (posture.isJudged || runsNothing) return { answer: final };
  const { stages } = judgement;
  const answer = {
    verdict: 'allow',
    code: 'not-consulted',
    reason: 'it runs, because it is not judged',
    stages,
  } as const;
  return { answer, onGateway: final };
}

const USUAL = { security: 'allowlist', ask: 'on-miss' } as const;

/** Nothing runs here, whatever the rules say about the command. */
function refused({ commands }: Posture, { stages }: Judgement): Judgement {
  return { verdict: 'deny', code: 'commands-refused', reason: commands, stages };
}

const IF_JUDGED = 'if commands were judged (pincer init --posture judged)';

/** The same for a person. */
export function explanationText(
  command: string,
  { posture, broken }: RulesInForce,
  { answer, onGateway }: Explanation,
  colour: boolean,
): string {
  const isJudged = posture?.isJudged ?? true;
  const notJudged = `${MARKS[answer.verdict]} ${answer.verdict}: ${shownText(answer.reason)}\n\n${IF_JUDGED}:\n\n`;
  return [
    ...(broken === undefined ? [] : [`${brokenText(shownText(broken), { isJudged })}\n\n`]),
    ...(posture === undefined ? [] : [`${postureText(posture, colour)}\n\n`]),
    onGateway === undefined ? explainJudgement(command, answer) : `${notJudged}${explainJudgement(command, onGateway)}`,
    ...(posture === undefined ? [] : [`\n  in force: ${valuesText(posture)}\n`]),
  ].join('');
}
