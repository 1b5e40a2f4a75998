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
    env: settings.env,
  };
}

/** The same where a shell reads the text of a command: it has no steps. */
export function rulesOfShell(inputs: Pick<PolicyInputs, 'settings' | 'approvals'>): Rules {
  return { ...rulesOf(inputs), compound: 'ask' };
}
