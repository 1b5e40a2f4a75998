/** `pincer hook claude-code` through the built program: what Claude Code sends in, what it gets back. */
import { spawnSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { claudeCode } from '../../../src/apps/hook/clients/claude-code.ts';
import { decideCall } from '../../../src/apps/hook/decide.ts';
import { readEvent } from '../../../src/apps/hook/event.ts';
import { faultOf } from '../../support/fault.ts';
import { hook, type HookSetting as Setting, hookPlace as home, program } from './place.ts';

function callOf(command: string, cwd: string, mode = 'default'): string {
  return JSON.stringify({
    session_id: 's',
    transcript_path: '/x',
    cwd,
    permission_mode: mode,
    hook_event_name: 'PreToolUse',
    tool_name: 'Bash',
    tool_input: { command, description: 'try it' },
  });
}

async function ask(command: string, setting: Setting = {}, cwd = 'project'): Promise<string> {
  const { folder, env } = home(setting);
  const all = { ...env, CLAUDE_PROJECT_DIR: join(folder, 'project'), ...setting.env };
  const question = claudeCode.question(readEvent(Buffer.from(callOf(command, join(folder, cwd), setting.mode))), {
    env: all,
    cwd: folder,
    hasTerminal: () => true,
  })!;
  const { decision, reason } = (await decideCall(question, 'main', all))!;
  return `${decision}: ${reason}`;
}

const DENY_RM = {
  tools: {
    exec: {
      denyRules: [
        { pattern: '/**/rm', argPattern: '(.* )?-(-recursive|-force|[a-zA-Z]*[rRf]).*', reason: 'never by force' },
      ],
    },
  },
};

describe('through the program', () => {
  it.each([
    ['ls | head -1', 'allow', 'pincer: allowlisted: all 2 commands of the pipeline are allowed'],
    [
      'rm -rf x',
      'deny',
      'pincer: deny-rule: a deny rule for /**/rm forbids rm: never by force; to pass: only the operator can change deny rules',
    ],
  ])('%j is answered with %s', (command, permissionDecision, permissionDecisionReason) => {
    const { folder, env } = home({ config: DENY_RM });
    const { status, stdout, stderr } = hook('claude-code', callOf(command, folder), env);
    expect({ status, stderr, answer: JSON.parse(stdout) as unknown }).toEqual({
      status: 0,
      stderr: '',
      answer: { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision, permissionDecisionReason } },
    });
  });
});

describe('by default', () => {
  it.each([
    ['ls -la', 'allow: pincer: allowlisted: '],
    ['ls | head -1', 'allow: pincer: allowlisted: all 2 commands of the pipeline are allowed'],
    ['ls | tr a-z A-Z | wc -l', 'allow: '],
    ['echo pipe | head -1 && echo two', 'allow: pincer: allowlisted: all 2 commands of the chain are allowed'],
    ['echo a; echo b || ls\necho c;\n', 'allow: pincer: allowlisted: all 4 commands of the chain are allowed'],
    ["echo 'a && rm -rf /'", 'allow: '],
    [
      'rm -rf build',
      'ask: pincer: allowlist-miss: /usr/bin/rm is not on the allowlist; to pass: allow it: pincer approvals allowlist add /usr/bin/rm',
    ],
    ['ls | rm -rf x', 'ask: pincer: allowlist-miss: '],
    ['echo a && rm -rf build', 'ask: pincer: allowlist-miss: /usr/bin/rm'],
    ['echo a &&', 'ask: pincer: empty: '],
    ['echo a ;; echo b', 'ask: pincer: '],
    ['cd / && ls', 'ask: pincer: builtin: '],
    ['ls > out', 'ask: pincer: redirection: '],
    // Only zsh expands these.
    ['ls ="sh"', 'ask: pincer: not-analysable: '],
    ['ls ^x', 'ask: pincer: not-analysable: '],
    ['ls x#', 'ask: pincer: not-analysable: '],
    ['ls -^x', 'ask: pincer: not-analysable: '],
    ["ls '-'^x", 'ask: pincer: not-analysable: '],
    ["ls '-a'x~y", 'ask: pincer: not-analysable: '],
    ["ls '^x' a=b x~1 x^", 'allow: '],
    ['ls $(rm x)', 'ask: pincer: substitution: '],
    ['ls && echo $HOME', 'ask: pincer: expansion: '],
    ['if ls; then rm x; fi', 'ask: pincer: keyword: '],
    ['ls & rm x', 'ask: pincer: background: '],
    ['ls() { rm x; }; ls', 'ask: pincer: grouping: '],
    ['alias ls=rm; ls', 'ask: pincer: '],
    ['FOO=1 ls', 'ask: pincer: assignment: '],
    ['', 'ask: pincer: empty: '],
    ['ls \u202e', 'ask: pincer: invisible-character: '],
    ['no-such-program', 'ask: pincer: not-found: '],
  ])('%j is answered with %j', async (command, answer) => {
    expect((await ask(command)).slice(0, answer.length)).toBe(answer);
  });

  it('answers in the words of pincer policy explain', async () => {
    const { folder, env } = home({ config: { tools: { exec: { host: 'gateway' } } } });
    const explained = spawnSync(process.execPath, [program, 'policy', 'explain', 'rm -rf x', '--json'], {
      cwd: join(folder, 'project'),
      env,
      encoding: 'utf8',
    });
    const { verdict, code, reason, hint } = JSON.parse(explained.stdout) as Record<string, string>;
    expect(await ask('rm -rf x')).toBe(`${verdict}: pincer: ${code}: ${reason}; to pass: ${hint}`);
  });
});

describe('a program that is allowed, by a name that shells answer themselves', () => {
  const allow = ['/usr/bin/printf', '/usr/bin/test', '/usr/bin/[', '/usr/bin/ls'];
  it.each([
    ['printf %d PATH=7; ls', 'ask: pincer: builtin: printf is a shell builtin, not a program'],
    ["printf %d 'path[b[1]+$(touch pwn)]'", 'ask: pincer: builtin: printf '],
    ['printf 7%n PATH; ls', 'ask: pincer: builtin: printf '],
    ['ls | printf %d PATH=7', 'ask: pincer: builtin: printf '],
    ['"printf" %d PATH=7', 'ask: pincer: builtin: printf '],
    ["ls && test -t 'path[b[1]+$(touch pwn)]'", 'ask: pincer: builtin: test '],
    ['[ PATH=7 -eq 7 ] && ls', 'ask: pincer: builtin: [ '],
    ['/usr/bin/printf %d PATH=7; ls', 'allow: pincer: allowlisted: all 2 commands of the chain are allowed'],
    ['env printf %d PATH=7', 'allow: pincer: allowlisted: '],
  ])('%j is answered with %j', async (command, answer) => {
    expect((await ask(command, { allow })).slice(0, answer.length)).toBe(answer);
  });

  it('is allowed by its path, and the answer contains that', async () => {
    expect(await ask('printf a', { allow })).toMatch(/; to pass: name the file: \/usr\/bin\/printf$/u);
  });
});

describe('the configuration of the operator', () => {
  it.each([
    ['rm -rf x', { config: DENY_RM }, 'deny: pincer: deny-rule: a deny rule for /**/rm forbids rm: never by force'],
    ['rm -rf x', { config: DENY_RM, allow: ['/usr/bin/rm'] }, 'deny: pincer: deny-rule: '],
    ['echo a && rm -r x', { config: DENY_RM }, 'deny: pincer: deny-rule: '],
    ['sh -c "rm -rf x"', { config: DENY_RM }, 'deny: pincer: deny-rule: '],
    ['rm -rf x', { project: DENY_RM }, 'deny: pincer: deny-rule: '],
    ['rm x-for --dir', { config: DENY_RM, allow: ['/usr/bin/rm'] }, 'allow: '],
    ['rm x --force', { config: DENY_RM, allow: ['/usr/bin/rm'] }, 'deny: pincer: deny-rule: '],
    ['rm -rf x', { config: { tools: { exec: { security: 'full' } } } }, 'allow: pincer: security-full: '],
    [
      'ls && $x',
      { config: { tools: { exec: { security: 'full', ...DENY_RM.tools.exec } } } },
      'deny: pincer: unknown-names: ',
    ],
    [
      'foo && $x',
      { config: { tools: { exec: { security: 'full', ...DENY_RM.tools.exec } } } },
      'deny: pincer: unknown-names: ',
    ],
    ['ls', { config: { tools: { exec: { security: 'deny' } } } }, 'deny: pincer: security-deny: '],
    ['rm x', { config: { tools: { exec: { ask: 'off' } } } }, 'deny: pincer: allowlist-miss: '],
    ['ls', { config: { tools: { exec: { ask: 'always' } } } }, 'ask: pincer: ask-always: '],
    [
      'ls',
      { config: { tools: { deny: ['exec'] } } },
      'deny: pincer: the configuration does not let this agent run commands',
    ],
    ['ls', { approvals: '{' }, 'deny: pincer: exec-approvals.json is not used, so everything is denied: '],
    ['rm x', { mode: 'bypassPermissions' }, 'deny: pincer: allowlist-miss: '],
    ['ls | wc', { mode: 'bypassPermissions' }, 'allow: '],
    ['rm x', { mode: 'dontAsk' }, 'deny: '],
    ['rm x', { mode: 'auto' }, 'deny: '],
    ['rm x', { mode: 'a new one' }, 'deny: '],
    ['rm x', { mode: 'acceptEdits' }, 'ask: '],
    ['rm x', { config: { approvals: { headless: true } } }, 'deny: '],
    [
      'rm x',
      { mode: 'bypassPermissions', approvals: { version: 1, defaults: { askFallback: 'full' }, agents: {} } },
      'allow: ',
    ],
    [
      'ls > x',
      { mode: 'bypassPermissions', approvals: { version: 1, defaults: { askFallback: 'full' }, agents: {} } },
      'deny: ',
    ],
  ] as readonly (readonly [string, Setting, string])[])('%j with %j', async (command, setting, answer) => {
    expect((await ask(command, setting)).slice(0, answer.length)).toBe(answer);
  });

  it('is heard in the project also when the agent has gone elsewhere', async () => {
    expect(await ask('rm -rf x', { project: DENY_RM }, '.')).toMatch(/^deny: pincer: deny-rule/u);
  });

  it('reports why no person was asked', async () => {
    expect(await ask('rm x', { mode: 'bypassPermissions' })).toMatch(
      /; no person is asked in the permission mode bypassPermissions, and askFallback is deny$/u,
    );
  });

  it('does not trust names while PATH searches the working folder', async () => {
    expect(await ask('ls', { env: { PATH: '/usr/bin:.:/bin' } })).toMatch(/^ask: pincer: relative-path: /u);
  });

  it('applies to the named agent', () => {
    const { folder, env } = home({
      approvals: { version: 1, defaults: {}, agents: { reviewer: { allowlist: [{ pattern: '/usr/bin/ls' }] } } },
    });
    const call = JSON.stringify({
      hook_event_name: 'PreToolUse',
      tool_name: 'Bash',
      tool_input: { command: 'ls' },
      cwd: folder,
    });
    expect(hook('claude-code', call, env).stdout).toContain('"permissionDecision":"ask"');
    expect(hook('claude-code', call, env, ['--agent', 'reviewer']).stdout).toContain('"permissionDecision":"allow"');
  });
});

describe('a call without rules', () => {
  it.each([
    { hook_event_name: 'PreToolUse', tool_name: 'Read', tool_input: { file_path: '/x' }, cwd: '/' },
    { hook_event_name: 'PreToolUse', tool_name: 'Grep', tool_input: { pattern: 'x' }, cwd: '/' },
    { hook_event_name: 'PreToolUse', tool_name: 'mcp__docs__search', tool_input: { query: 'rm' }, cwd: '/' },
  ])('%j gets no answer', (call) => {
    expect(hook('claude-code', JSON.stringify(call), home({}).env)).toEqual({ status: 0, stdout: '', stderr: '' });
  });
});

describe('what it cannot read or answer blocks the call', () => {
  const sound = { hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: { command: 'ls' }, cwd: '/' };
  const text = JSON.stringify(sound);
  it.each([
    ['nothing', ''],
    ['half a JSON', text.slice(0, -1)],
    ['two JSON texts', `${text}${text}`],
    ['a byte behind it', `${text}\0`],
    ['a byte in front of it', `\0${text}`],
    ['a byte in a text', text.replace('"ls"', '"ls\0"')],
    ['a list', '[]'],
    ['null', 'null'],
    ['a text', JSON.stringify(text)],
    ['no event', JSON.stringify({ ...sound, hook_event_name: 1 })],
    ['another event', JSON.stringify({ ...sound, hook_event_name: 'PostToolUse' })],
    ['an event in another case', JSON.stringify({ ...sound, hook_event_name: 'preToolUse' })],
    ['no tool', JSON.stringify({ ...sound, tool_name: null })],
    ['no input', JSON.stringify({ ...sound, tool_input: null })],
    ['a list of inputs', JSON.stringify({ ...sound, tool_input: [sound.tool_input] })],
    ['no command', JSON.stringify({ ...sound, tool_input: { command: ['rm'] } })],
    ['no folder', JSON.stringify({ ...sound, cwd: 'here' })],
    ['an odd mode', JSON.stringify({ ...sound, permission_mode: {} })],
    ['two tools', text.replace('{', '{"tool_name":"Read",')],
    ['two commands', text.replace('{"command"', '{"command":"ls","comm\\u0061nd"')],
    ['a deep input', text.replace('"ls"', `${'['.repeat(100_000)}${']'.repeat(100_000)}`)],
    ['bytes', Buffer.from([0xff, 0xfe, 0, 1])],
    ['a text that is not UTF-8', Buffer.from(text.replace('ls', 'ls \xff'), 'latin1')],
  ])('%s', (_, input) => {
    const start = { env: {}, cwd: '/', hasTerminal: () => true };
    expect(faultOf(() => claudeCode.question(readEvent(Buffer.from(input)), start)).code).toBe('USAGE_HOOK_INPUT');
  });

  it.each([
    ['', ''],
    ['another event', JSON.stringify({ ...sound, hook_event_name: 'PostToolUse' })],
  ])('and ends with 2 and a reason: %s', (_, input) => {
    const { status, stdout, stderr } = hook('claude-code', input, home({}).env);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(/^USAGE_HOOK_INPUT: stdin is not a hook event: /u);
  });

  it('a flood', () => {
    const { status, stderr } = hook('claude-code', Buffer.alloc(17 << 20, 32), home({}).env);
    expect({ status, told: stderr.includes('longer than 16 MiB') }).toEqual({ status: 2, told: true });
  });

  it('a configuration that is broken', () => {
    const { folder, env } = home({});
    writeFileSync(join(folder, '.config/pincer/pincer.jsonc'), '{ oops');
    const { status, stdout, stderr } = hook('claude-code', JSON.stringify({ ...sound, cwd: folder }), env);
    expect({ status, stdout, told: stderr.includes('CONFIG_SYNTAX') }).toEqual({ status: 2, stdout: '', told: true });
  });

  it('a configuration that cannot be read', () => {
    const { folder, env } = home({ config: {} });
    chmodSync(join(folder, '.config/pincer/pincer.jsonc'), 0);
    const { status } = hook('claude-code', JSON.stringify({ ...sound, cwd: folder }), env);
    // Root reads it all the same, and then it says nothing.
    expect(status).toBe(process.getuid?.() === 0 ? 0 : 2);
  });

  it.each([['cursor'], [''], ['claude-code', '--oops'], ['constructor']])('the arguments %j %j', (client, ...args) => {
    expect(hook(client, JSON.stringify(sound), home({}).env, args).status).toBe(2);
  });
});
