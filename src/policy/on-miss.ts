/** Commands that run in the sandbox of the agent instead of asking: a sandbox confines everything that they could do. */
import type { EffectivePolicy, Judgement, Risk, StageReport } from '../wire/policy.ts';

/** What a sandbox confines. The network, the system, other folders and secrets are asked about. */
const CONFINED_RISKS: ReadonlySet<Risk> = new Set<Risk>([
  'read',
  'workspace',
  'project',
  'inline-code',
  'unknown',
  'syntax',
]);

/** Codes of what a sandbox confines, where a judgement has no risk. */
const CONFINED_CODES: ReadonlySet<string> = new Set([
  'allowlist-miss',
  'safe-bin-arguments',
  'unprofiled',
  'rule-changed',
  'project-code',
  'profile-input',
  'inline-code',
  'shell',
  'built-in',
  'builtin',
  'keyword',
  'chaining',
  'background',
  'grouping',
  'redirection',
  'heredoc',
  'substitution',
  'expansion',
  'status-value',
  'assignment',
  'ansi-quote',
  'equals',
  'history',
  'glob',
  'tilde',
  'brace',
  'comment',
  'write',
  'sandbox-only',
  'not-analysable',
]);

/** Whether a decided command runs in the sandbox: a rule says so, or `tools.exec.onMiss` does and a sandbox confines its risks. */
export function runsInSandbox(
  { security, ask, onMiss }: Pick<EffectivePolicy, 'security' | 'ask' | 'onMiss'>,
  judgement: Judgement,
): boolean {
  const { verdict, code, allowedIn, unknownNames } = judgement;
  if (security !== 'allowlist' || ask === 'always' || verdict === 'allow') return false;
  if (code === 'deny-rule' || unknownNames !== undefined) return false;
  if (allowedIn === 'sandbox' && code === 'sandbox-only') return true;
  return onMiss === 'sandbox' && verdict === 'ask' && isConfined(judgement) && judgement.stages.every(isConfinedStage);
}

function isConfined({ code, risk }: Pick<Judgement, 'code' | 'risk'>): boolean {
  return CONFINED_CODES.has(code) && (risk === undefined || CONFINED_RISKS.has(risk));
}

/** An allowed command counts, too: `git push` has no network in the sandbox, so the whole would fail there. */
function isConfinedStage({ verdict, code, risk }: StageReport): boolean {
  if (risk !== undefined && !CONFINED_RISKS.has(risk)) return false;
  return verdict === 'allow' || CONFINED_CODES.has(code);
}
