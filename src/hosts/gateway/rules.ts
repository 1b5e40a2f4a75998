import type { Rules } from '../../wire/policy.ts';
import type { Said } from './route.ts';

/** The rules of the approvals file and of the configuration together. */
export function rulesOf({ settings, approvals }: Pick<Said, 'settings' | 'approvals'>): Rules {
  return {
    allowlist: approvals.allowlist,
    deny: [...approvals.deny, ...settings.denyRules],
    safeBins: settings.safeBins,
    safeBinProfiles: settings.safeBinProfiles,
    safeBinTrustedDirs: settings.safeBinTrustedDirs,
    strictInlineEval: settings.strictInlineEval,
  };
}
