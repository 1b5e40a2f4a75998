import type { Rules } from '../../wire/policy.ts';
import type { PolicyInputs } from '../host.ts';

/** The rules of the approvals file and the configuration together. */
export function rulesOf({ settings, approvals }: Pick<PolicyInputs, 'settings' | 'approvals'>): Rules {
  return {
    allowlist: approvals.allowlist,
    ...(approvals.expired === undefined ? {} : { expired: approvals.expired }),
    deny: [...approvals.deny, ...settings.denyRules],
    safeBins: settings.safeBins,
    safeBinProfiles: settings.safeBinProfiles,
    safeBinTrustedDirs: settings.safeBinTrustedDirs,
    strictInlineEval: settings.strictInlineEval,
    starter: settings.starter,
    compound: settings.compound,
    unprofiled: settings.unprofiled,
    profiles: settings.profiles,
  };
}
