/** An approval as the server sends it. */
import type { ApprovalInfo } from '../../src/wire/approval.ts';

export function approvalExample(slug: string, changes: Partial<ApprovalInfo> = {}): ApprovalInfo {
  return {
    id: `${slug}-0000-4000-8000-000000000000`,
    slug,
    state: 'pending',
    createdAt: 1_000,
    expiresAt: 1_801_000,
    binding: {
      agent: 'main',
      host: 'gateway',
      command: 'git push',
      cwd: '/work',
      cwdIdentity: '1:2',
      env: {},
      pty: false,
      programs: [],
      files: [],
    },
    judgement: { verdict: 'ask', code: 'allowlist-miss', reason: '/usr/bin/git is on no allowlist', stages: [] },
    wouldStore: [],
    ...changes,
  };
}
