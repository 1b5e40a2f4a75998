/** The answer of `pincer policy explain`: what would happen to a command, and the verdict of the rules. */
import { valuesText } from '../../../hosts/gateway/posture/posture.ts';
import { finalJudgement, treatmentOf } from '../../../hosts/gateway/treatment.ts';
import { decide } from '../../../policy/decide.ts';
import { explainJudgement, MARKS, shownText } from '../../../policy/explain.ts';
import type { Judgement } from '../../../wire/policy.ts';
import type { Posture } from '../../../wire/posture.ts';
import { brokenText, postureText } from '../../terminal/posture-lines.ts';
import type { RulesInForce } from './rules.ts';

export interface Explanation {
  /** Its verdict sets the exit code. */
  readonly answer: Judgement;
  /** The judgement with host=gateway; present if commands are not judged. */
  readonly onGateway?: Judgement;
}

/** Decides as the gateway does. */
export function explanationOf(rules: RulesInForce, judged: Judgement): Explanation {
  const { posture, broken, gateway, settings, noSandbox } = rules;
  if (posture === undefined || settings === undefined || gateway === undefined) {
    // Only rules are given: apply the default policy.
    return { answer: decide(broken === undefined ? DEFAULT_POLICY : { ...DEFAULT_POLICY, security: 'deny' }, judged) };
  }
  const effective = posture.isJudged ? posture.effective : gateway;
  const judgement = decide(effective, judged);
  const final = finalJudgement(judgement, treatmentOf({ settings, effective, judgement, noSandbox }));
  const runsNothing = posture.kind === 'denied' || posture.kind === 'failing';
  if (runsNothing && final.verdict !== 'deny') return { answer: refused(posture, final) };
  if (posture.isJudged || runsNothing) return { answer: final };
  const { stages } = judgement;
  const answer = {
    verdict: 'allow',
    code: 'not-consulted',
    reason: 'it runs, because commands are not judged',
    stages,
  } as const;
  return { answer, onGateway: final };
}

const DEFAULT_POLICY = { security: 'allowlist', ask: 'on-miss' } as const;

/** No command runs here, whatever the rules allow. */
function refused({ commands }: Posture, { stages }: Judgement): Judgement {
  return { verdict: 'deny', code: 'commands-refused', reason: commands, stages };
}

/** The posture without the values, which are printed separately. */
export function shortPosture({ kind, commands, files, change }: Posture): object {
  return { kind, commands, files, ...(change === undefined ? {} : { change }) };
}

const IF_JUDGED = 'if commands were judged (pincer init --posture judged)';

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
    ...(posture === undefined ? [] : [`\n  effective: ${valuesText(posture)}\n`]),
  ].join('');
}
