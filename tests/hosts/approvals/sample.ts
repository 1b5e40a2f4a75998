import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openApprovalStore } from '../../../src/hosts/approvals/store.ts';
import type { ApprovalStore } from '../../../src/hosts/approvals/shape.ts';
import type { EngineName } from '../../../src/hosts/database/shape.ts';
import type { ApprovalBinding } from '../../../src/wire/approval.ts';
import type { Judgement } from '../../../src/wire/policy.ts';

export const BINDING: ApprovalBinding = {
  agent: 'main',
  client: 'claude-code',
  conversation: 'c1',
  host: 'gateway',
  command: 'rm -rf "build dir"',
  cwd: '/home/ann/project',
  cwdIdentity: '1:2',
  env: { LANG: 'C' },
  pty: false,
  programs: [{ real: '/usr/bin/rm', identity: '1:2:3:4', argv: ['rm', '-rf', 'build dir'] }],
  files: [],
};

export const JUDGEMENT: Judgement = {
  verdict: 'ask',
  code: 'allowlist-miss',
  reason: 'no rule allows /usr/bin/rm',
  at: { start: 0, end: 2 },
  stages: [],
  proposal: [{ pattern: '/usr/bin/rm', argv: ['-rf', 'build dir'], cwd: '/home/ann/project', source: 'allow-always' }],
};

export const RUN = { request: { command: BINDING.command }, big: '9007199254740993', text: 'a\0b\u202e' };

/** A clock that stands until it is told. */
export interface Clock {
  time: number;
}

export async function storeAt(file: string, clock: Clock, engine: EngineName): Promise<ApprovalStore> {
  const store = await openApprovalStore({ file, now: () => clock.time, engine });
  onTestFinished(() => store.close());
  return store;
}

export function databaseIn(folder: string): string {
  return join(folder, 'state', 'gateway.db');
}
