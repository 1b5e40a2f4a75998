/** `pincer hook` through the built program: what each client sends in, what it gets back. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { claudeEvent, codexEvent, geminiEvent } from './events.ts';
import { hook, hookPlace } from './place.ts';

const REASON =
  'pincer: allowlist-miss: /usr/bin/rm is not on the allowlist; to pass: allow it: pincer approvals allowlist add /usr/bin/rm';

describe('B3, B22: the hook of', () => {
  const place = () => {
    const { folder, env } = hookPlace({});
    const project = join(folder, 'project');
    return { project, ask: (client: string, event: object) => hook(client, JSON.stringify(event), env, [], project) };
  };

  it('codex denies what asks, in the one form that Codex takes, and is silent about the rest', () => {
    const { project, ask } = place();
    const denied = ask('codex', codexEvent('Bash', { command: 'rm -rf x' }, project));
    expect({ ...denied, stdout: JSON.parse(denied.stdout) as unknown }).toEqual({
      status: 0,
      stderr: '',
      stdout: {
        hookSpecificOutput: {
          hookEventName: 'PreToolUse',
          permissionDecision: 'deny',
          permissionDecisionReason: `${REASON}; Codex cannot ask a person for a hook; pincer's exec asks if tools.exec.host is gateway, and askFallback is deny`,
        },
      },
    });
    expect(ask('codex', codexEvent('Bash', { command: 'ls' }, project))).toEqual({ status: 0, stdout: '', stderr: '' });
  });

  it('gemini denies in its own form, and is silent about what is allowed', () => {
    const { project, ask } = place();
    const reason = `pincer: FS_PROTECTED: ${project}/.git/config belongs to git; tools may not write it; change the repository with git itself, if git may write there`;
    const denied = ask('gemini', geminiEvent('write_file', { file_path: '.git/config', content: 'x' }, project));
    expect({ ...denied, stdout: JSON.parse(denied.stdout) as unknown }).toEqual({
      status: 0,
      stderr: '',
      stdout: { decision: 'deny', reason, systemMessage: reason },
    });
    const allowed = ask('gemini', geminiEvent('run_shell_command', { command: 'ls' }, project));
    expect(allowed).toEqual({ status: 0, stdout: '', stderr: '' });
  });

  it('claude-code asks about the server of pincer', () => {
    const { project, ask } = place();
    const asked = ask('claude-code', claudeEvent('mcp__pincer__exec', { command: 'rm -rf x' }, project));
    expect(JSON.parse(asked.stdout)).toEqual({
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'ask',
        permissionDecisionReason: REASON,
      },
    });
  });

  it.each([
    ['claude-code', 'Skill', { skill: 'deploy' }, 'ask'],
    ['claude-code', 'SlashCommand', { command: '/deploy' }, 'ask'],
    ['claude-code', 'LSP', { operation: 'hover' }, 'ask'],
    ['claude-code', 'Agent', { prompt: 'x', description: 'x', isolation: 'worktree' }, 'ask'],
    ['claude-code', 'Task', { prompt: 'x', description: 'x', mode: 'bypassPermissions' }, 'ask'],
    ['claude-code', 'Workflow', {}, 'ask'],
    ['claude-code', 'Agent', { prompt: 'x', description: 'x', subagent_type: 'general-purpose' }, undefined],
    ['claude-code', 'TodoWrite', { todos: [] }, undefined],
    ['codex', 'js_repl', {}, 'deny'],
    ['codex', 'update_plan', {}, undefined],
    ['gemini', 'new_tool', {}, 'deny'],
    ['gemini', 'write_todos', {}, undefined],
  ])('%s answers for the tool %s with %j: %s', (client, tool, input, answer) => {
    const { project, ask } = place();
    const event = { 'claude-code': claudeEvent, codex: codexEvent, gemini: geminiEvent }[client]!;
    const { status, stdout } = ask(client, event(tool, input, project));
    const [, found] = /"(?:permissionDecision|decision)":"(\w+)"/u.exec(stdout) ?? [];
    expect({ status, found }).toEqual({ status: 0, found: answer });
  });

  it.each(['codex', 'gemini'])('%s blocks what it cannot read, with a reason', (client) => {
    const { status, stdout, stderr } = hook(client, '{', hookPlace({}).env);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(/^USAGE_HOOK_INPUT: stdin is not a hook event: /u);
  });
});
