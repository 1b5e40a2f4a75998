import { join } from 'node:path';
import { checkRules } from '../../../policy/rules/rules-check.ts';
import { type ApprovalsFileOptions, openApprovalsFile } from '../../approvals/file.ts';

/** Opens the approvals file of a state folder; policy checks its rules. */
export function approvalsFileIn(
  stateDir: string,
  options: Pick<ApprovalsFileOptions, 'home' | 'now' | 'onTrouble'> = {},
): ReturnType<typeof openApprovalsFile> {
  return openApprovalsFile({ ...options, path: join(stateDir, 'exec-approvals.json'), checkRules });
}
