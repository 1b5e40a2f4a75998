import { describe, expect, it } from 'vitest';
import { runsInSandbox } from '../../src/policy/on-miss.ts';
import type { Judgement, Risk, StageReport } from '../../src/wire/policy.ts';

const MISSES = { security: 'allowlist', ask: 'on-miss', onMiss: 'sandbox' } as const;

function stage(code: string, risk?: Risk, verdict: StageReport['verdict'] = 'ask'): StageReport {
  return {
    argv: ['x'],
    span: { start: 0, end: 1 },
    verdict,
    code,
    reason: 'r',
    ...(risk === undefined ? {} : { risk }),
  };
}

function judged(code: string, more: Partial<Judgement> = {}): Judgement {
  return { verdict: 'ask', code, reason: 'r', stages: [stage(code, more.risk)], ...more };
}

describe('a command that no rule covers runs in the sandbox', () => {
  it.each([
    ['an unknown program', judged('allowlist-miss')],
    ['code of the project', judged('project-code', { risk: 'project' })],
    ['code in the command', judged('inline-code', { risk: 'inline-code', explicit: true })],
    ['control flow that is not analysed', judged('keyword', { stages: [], explicit: true, risk: 'syntax' })],
    [
      'a pipe of both',
      judged('allowlist-miss', { stages: [stage('allowlisted', 'read', 'allow'), stage('project-code')] }),
    ],
  ])('%s', (_, judgement) => {
    expect(runsInSandbox(MISSES, judgement)).toBe(true);
  });

  it.each([
    ['the network', judged('allowlist-miss', { risk: 'network' })],
    ['a change of the system', judged('allowlist-miss', { risk: 'system' })],
    ['a local write of git, which the sandbox refuses', judged('allowlist-miss', { risk: 'git-local' })],
    ['a file outside', judged('read-outside', { risk: 'outside' })],
    ['a secret', judged('allowlist-miss', { risk: 'secret' })],
    ['a folder outside', judged('outside-workspace')],
    ['a variable', judged('environment')],
    ['a terminal', judged('interactive')],
    ['characters that a person cannot see', judged('invisible-character', { stages: [] })],
    ['a code that is not known', judged('something-new')],
    [
      'a pipe with the network',
      judged('project-code', { stages: [stage('project-code'), stage('allowlist-miss', 'network')] }),
    ],
    [
      'a part that a rule allows, and that has no network there',
      judged('project-code', { stages: [stage('project-code'), stage('allowlisted', 'network', 'allow')] }),
    ],
    ['deny rules that cannot be checked', judged('chaining', { stages: [], unknownNames: 'the text' })],
    ['a deny rule', judged('deny-rule', { verdict: 'deny' })],
    ['a command that a rule allows', judged('allowlisted', { verdict: 'allow' })],
  ])('but not with %s', (_, judgement) => {
    expect(runsInSandbox(MISSES, judgement)).toBe(false);
  });

  it.each([
    ['every command asks', { ...MISSES, ask: 'always' as const }],
    ['nothing may run', { ...MISSES, security: 'deny' as const }],
    ['everything may run', { ...MISSES, security: 'full' as const }],
    ['the setting is ask', { security: 'allowlist', ask: 'on-miss' } as const],
  ])('but not where %s', (_, policy) => {
    expect(runsInSandbox(policy, judged('project-code'))).toBe(false);
  });

  it('where a rule is for the sandbox, whatever onMiss and ask=off say', () => {
    const ruled = judged('sandbox-only', { allowedIn: 'sandbox', verdict: 'deny' });
    expect(runsInSandbox({ security: 'allowlist', ask: 'off' }, ruled)).toBe(true);
    expect(runsInSandbox({ security: 'allowlist', ask: 'always' }, ruled)).toBe(false);
    expect(runsInSandbox({ security: 'allowlist', ask: 'off' }, { ...ruled, code: 'environment' })).toBe(false);
  });
});
