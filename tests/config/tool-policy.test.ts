import { describe, expect, it } from 'vitest';
import { checkValue } from '../../src/config/load/read.ts';
import { tighten } from '../../src/config/tighten/tighten.ts';
import { isToolAllowed } from '../../src/config/tool-policy.ts';
import { TOOL_NAMES, toolNamed } from '../../src/wire/tool-names.ts';

describe('the lists of tools', () => {
  it.each([
    [{}, 'exec', true],
    [{ deny: ['exec'] }, 'exec', false],
    [{ deny: ['sandboxed_read'] }, 'read', false],
    [{ deny: ['host_workspace_write'] }, 'sandboxed_write', false],
    [{ deny: ['read'] }, 'sandboxed_read', false],
    [{ allow: ['sandboxed_edit'] }, 'edit', true],
    [{ allow: ['sandboxed_edit'] }, 'read', false],
    [{ allow: ['exec'] }, 'apply_patch', true],
    [{ allow: ['exec'], deny: ['apply_patch'] }, 'apply_patch', false],
    [{ allow: ['*'], deny: ['*'] }, 'read', false],
  ])('%j: %s is allowed: %s', (policy, tool, allowed) => {
    expect(isToolAllowed(policy, tool)).toBe(allowed);
  });

  it('accept every alias of a tool, and nothing else', () => {
    for (const [own, others] of Object.entries(TOOL_NAMES))
      expect([own, ...others].map(toolNamed)).toEqual([own, ...others].map(() => own));
    expect(['constructor', '__proto__', ''].map(toolNamed)).toEqual([undefined, undefined, undefined]);
  });

  it('of a project only narrow those of the operator', () => {
    const allowed = (operator: readonly string[] | undefined, project: readonly string[]) =>
      tighten({ tools: operator === undefined ? {} : { allow: operator } }, { tools: { allow: project } }, () => {})
        .tools?.allow;
    expect([
      allowed(undefined, ['read']),
      allowed(['read', 'exec'], ['sandboxed_read', 'write']),
      allowed(['read'], ['*']),
      allowed(undefined, ['*']),
    ]).toEqual([['read'], ['sandboxed_read'], ['read'], ['*']]);
  });

  it('are reported where they contain an unknown tool', () => {
    const { diagnostics } = checkValue({
      tools: { deny: ['exce', '*', 'sandboxed_read'] },
      agents: { list: [{ id: 'main', tools: { allow: ['[browser'] } }] },
    });
    expect(diagnostics).toEqual([
      {
        severity: 'warning',
        at: 'tools.deny[0]',
        message: 'unknown tool "exce" in tools.deny[0]; did you mean exec',
      },
      {
        severity: 'warning',
        at: 'agents.list[0].tools.allow[0]',
        message: 'unknown tool "[browser" in agents.list[0].tools.allow[0]',
      },
    ]);
  });
});
