/** File tools of clients, by the rules of our own: events as the clients write them. */
import { linkSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HOOK_CLIENTS } from '../../../src/apps/hook/clients.ts';
import { decideCall } from '../../../src/apps/hook/decide.ts';
import { claudeEvent, codexEvent, geminiEvent } from './events.ts';
import { type HookSetting, hookPlace } from './place.ts';

type Tool = readonly [client: string, tool: string, input: Readonly<Record<string, unknown>>];

const EVENTS = { 'claude-code': claudeEvent, codex: codexEvent, gemini: geminiEvent };

/** The decision about a call, `-` for none, and the code of the reason. */
async function decided([client, tool, input]: Tool, setting: HookSetting = {}, prepare?: (project: string) => void) {
  const { folder, env } = hookPlace(setting);
  const project = join(folder, 'project');
  prepare?.(project);
  const named = JSON.parse(
    JSON.stringify(input).replaceAll('<project>', project).replaceAll('<home>', folder),
  ) as object;
  const event = EVENTS[client as keyof typeof EVENTS](tool, named, project, setting.mode);
  const start = {
    env: { ...env, CLAUDE_PROJECT_DIR: project },
    cwd: project,
    hasTerminal: () => setting.mode !== 'alone',
  };
  const question = (await HOOK_CLIENTS[client]!()).question(event, start);
  const answer = question && (await decideCall(question, 'main', env));
  return answer === undefined ? '-' : `${answer.decision}: ${answer.reason}`;
}

/** The same write by the tool of each client. */
function writes(path: string, content = 'x'): readonly Tool[] {
  return [
    ['claude-code', 'Write', { file_path: path, content }],
    ['claude-code', 'Edit', { file_path: path, old_string: 'a', new_string: 'b' }],
    ['claude-code', 'MultiEdit', { file_path: path, edits: [{ old_string: 'a', new_string: 'b' }] }],
    ['claude-code', 'NotebookEdit', { notebook_path: path, new_source: 'x' }],
    ['gemini', 'write_file', { file_path: path, content }],
    ['gemini', 'replace', { file_path: path, instruction: 'i', old_string: 'a', new_string: 'b' }],
  ];
}

function patches(line: string): Tool {
  return ['codex', 'apply_patch', { command: `*** Begin Patch\n${line}\n*** End Patch` }];
}

const RULES: readonly (readonly [what: string, path: string, asked: boolean, code: string])[] = [
  ['a file outside the workspace', '/etc/hosts', true, 'FS_OUTSIDE_WORKSPACE'],
  ['a file outside the workspace by ..', '<project>/../x', true, 'FS_OUTSIDE_WORKSPACE'],
  ['a file of git', '<project>/.git/config', false, 'FS_PROTECTED'],
  ['the settings of a client', '<project>/.claude/settings.json', false, 'FS_PROTECTED'],
  ['the hooks of a client', '<project>/.codex/hooks.json', false, 'FS_PROTECTED'],
  ['the configuration of pincer', '<project>/pincer.jsonc', false, 'FS_PROTECTED'],
  ['an installation of pincer', '<project>/node_modules/pincer/dist/pincer.cjs', false, 'FS_PROTECTED'],
  ['a path with ~', '~/x', true, 'FS_NAME_INVALID'],
];

describe.each(RULES)('a write of %s', (_, path, asks, code) => {
  it.each(writes(path))('by %s %s is refused', async (...tool) => {
    const verdict = asks ? 'ask' : 'deny';
    expect((await decided(tool)).slice(0, 60)).toMatch(new RegExp(`^${verdict}: pincer: ${code}: `, 'u'));
  });

  it('by a patch of codex is denied', async () => {
    expect(await decided(patches(`*** Add File: ${path}\n+x`))).toMatch(new RegExp(`^deny: pincer: ${code}: `, 'u'));
  });
});

describe('a write inside the workspace', () => {
  it.each([
    ...writes('<project>/sub/new.txt'),
    ['gemini', 'write_file', { file_path: 'sub/new.txt', content: 'x' }] as const,
    patches('*** Add File: sub/new.txt\n+x'),
  ])('by %s %s is left to the client', async (...tool) => {
    expect(await decided(tool)).toBe('-');
  });

  it('that a link leads out of it is refused', async () => {
    const [tool] = writes('<project>/out/hosts');
    expect(await decided(tool!, {}, (project) => symlinkSync('/etc', join(project, 'out')))).toMatch(
      /^ask: pincer: FS_OUTSIDE_WORKSPACE: /u,
    );
  });

  it('of a file with a second name is asked about', async () => {
    const [tool] = writes('<project>/one');
    const link = (project: string) => {
      writeFileSync(join(project, '../two'), 'x');
      linkSync(join(project, '../two'), join(project, 'one'));
    };
    expect(await decided(tool!, {}, link)).toMatch(/^ask: pincer: FS_HARD_LINKED: /u);
  });

  it('of what is no regular file is asked about', async () => {
    const [tool] = writes('<project>/sub');
    expect(await decided(tool!)).toMatch(/^ask: pincer: FS_IS_FOLDER: /u);
  });

  it('is denied where no person is asked', async () => {
    const [tool] = writes('/etc/hosts');
    expect(await decided(tool!, { mode: 'bypassPermissions' })).toMatch(
      /^deny: pincer: FS_OUTSIDE_WORKSPACE: .*; no person is asked in the permission mode bypassPermissions$/u,
    );
  });

  it('is denied where Gemini CLI has no terminal', async () => {
    const tool: Tool = ['gemini', 'write_file', { file_path: '/etc/hosts', content: 'x' }];
    expect(await decided(tool, { mode: 'alone' })).toMatch(
      /^deny: .*; Gemini CLI has no terminal, so no person is asked$/u,
    );
  });

  it('is denied if the configuration disables questions', async () => {
    const [tool] = writes('/etc/hosts');
    expect(await decided(tool!, { config: { approvals: { headless: true } } })).toMatch(
      /^deny: pincer: FS_OUTSIDE_WORKSPACE: .*; approvals.headless is set, so no person is asked$/u,
    );
  });

  it('is denied where the configuration denies the tool, and free where it opens the boundary', async () => {
    const [tool] = writes('<home>/x');
    expect(await decided(tool!, { config: { tools: { deny: ['write'] } } })).toBe(
      'deny: pincer: the configuration does not let this agent write files',
    );
    expect(await decided(tool!, { config: { tools: { fs: { workspaceOnly: false } } } })).toBe('-');
  });

  it('of a patch counts every path, also the target of a move', async () => {
    const move = patches('*** Update File: a\n*** Move to: .git/hooks/pre-commit\n@@\n-a\n+b');
    expect(await decided(move)).toMatch(/^deny: pincer: FS_PROTECTED: /u);
    const mixed = patches('*** Add File: /etc/x\n+a\n*** Add File: .git/hooks/pre-commit\n+a');
    expect(await decided(mixed)).toMatch(/^deny: pincer: FS_PROTECTED: /u);
  });
});

describe('a file with secrets', () => {
  const env = (project: string): void => writeFileSync(join(project, '.env'), 'TOKEN=abc\n');
  it.each([
    ['claude-code', 'Read', { file_path: '<project>/.env' }],
    ['gemini', 'read_file', { file_path: '.env' }],
  ] as const)('is not shown by %s %s without a question', async (...tool) => {
    expect(await decided(tool, {}, env)).toMatch(/^ask: pincer: READ_SECRET: .*read shows its names/u);
  });

  it.each([
    ['claude-code', 'Write', { file_path: '<project>/.env', content: 'TOKEN=***\n' }],
    ['claude-code', 'Edit', { file_path: '<project>/.env', old_string: 'abc', new_string: '***' }],
    ['gemini', 'replace', { file_path: '.env', instruction: 'i', old_string: 'abc', new_string: '***' }],
  ] as const)('does not get its marks written as values by %s %s', async (...tool) => {
    expect(await decided(tool, {}, env)).toMatch(/^deny: pincer: EDIT_MARKS: /u);
  });

  it.each([
    ['claude-code', 'NotebookRead', { notebook_path: '<project>/.env' }, 'ask: pincer: READ_SECRET: '],
    ['codex', 'view_image', { path: '.env' }, 'deny: pincer: READ_SECRET: '],
    ['gemini', 'read_many_files', { include: ['.env'] }, 'ask: pincer: not-known: read_many_files reads all files '],
    ['gemini', 'save_memory', { fact: 'x' }, 'ask: pincer: not-known: save_memory writes a file '],
  ] as const)('is not reached by %s %s without a question', async (client, tool, input, answer) => {
    expect((await decided([client, tool, input], {}, env)).slice(0, answer.length)).toBe(answer);
  });

  const sparse = (project: string): void => {
    writeFileSync(join(project, 'large'), '');
    truncateSync(join(project, 'large'), 2 ** 40);
  };
  it('is not looked for in a file that is too large, which asks', async () => {
    const answer = /^ask: pincer: READ_TOO_LARGE: .*large is too large to search it for secrets/u;
    expect(await decided(['claude-code', 'Read', { file_path: '<project>/large' }], {}, sparse)).toMatch(answer);
    expect(await decided(writes('<project>/large')[0]!, {}, sparse)).toMatch(answer);
  });

  it('does not keep a protected path behind it from being refused', async () => {
    const patch = patches('*** Update File: large\n@@\n-a\n+b\n*** Add File: .git/hooks/post-commit\n+x');
    expect(await decided(patch, {}, sparse)).toMatch(/^deny: pincer: FS_PROTECTED: /u);
  });

  it('can be read if the configuration shows it', async () => {
    const read: Tool = ['claude-code', 'Read', { file_path: '<project>/.env' }];
    expect(await decided(read, { config: { tools: { fs: { secrets: { show: ['.env'] } } } } }, env)).toBe('-');
    expect(await decided(['claude-code', 'Read', { file_path: '/etc/hosts' }])).toBe('-');
  });

  it('of the state folder is not read', async () => {
    const read: Tool = ['claude-code', 'Read', { file_path: '<home>/state/exec-approvals.json' }];
    expect(await decided(read)).toMatch(/^deny: pincer: FS_PROTECTED: /u);
  });
});

describe('what is not known', () => {
  it.each([
    ['claude-code', 'Rewire', {}, 'ask: pincer: not-known: unknown tool Rewire'],
    [
      'claude-code',
      'Bash',
      { command: 'ls', env: {} },
      'ask: pincer: not-known: unknown parameter env of the tool Bash',
    ],
    ['claude-code', 'constructor', {}, 'ask: pincer: not-known: '],
    ['claude-code', 'bash', { command: 'ls' }, 'ask: pincer: not-known: unknown tool bash'],
    ['claude-code', '', {}, 'ask: pincer: not-known: '],
    ['claude-code', '\u001b[2J', {}, 'ask: pincer: not-known: unknown tool \\u{1b}[2J'],
    [
      'claude-code',
      'Bash',
      JSON.parse('{"command":"ls","__proto__":{}}'),
      'ask: pincer: not-known: unknown parameter __proto__ ',
    ],
    ['claude-code', 'Bash', { command: 'ls\0' }, 'ask: pincer: '],
    ['claude-code', 'Write', { file_path: 'a\0b', content: '' }, 'ask: pincer: FS_NAME_NUL: '],
    ['codex', 'code_mode', {}, 'deny: pincer: not-known: unknown tool code_mode'],
    ['codex', 'Bash', { command: 'ls', tty: true }, 'deny: pincer: not-known: '],
    ['gemini', 'run_python', {}, 'ask: pincer: not-known: '],
  ] as const)('%s %s %j', async (client, tool, input, answer) => {
    expect((await decided([client, tool, input])).slice(0, answer.length)).toBe(answer);
  });

  it.each([
    ['claude-code', 'WebSearch', { query: 'x' }],
    ['claude-code', 'mcp__docs__write', { path: '/etc/hosts' }],
    ['claude-code', 'mcp__exec', {}],
    ['codex', 'update_plan', {}],
    ['gemini', 'glob', { pattern: '*' }],
  ] as const)('and what no rule is about gets no answer: %s %s', async (...tool) => {
    expect(await decided(tool)).toBe('-');
  });
});

describe('B3: a command through the server of pincer', () => {
  const names = [
    ['claude-code', 'mcp__pincer__exec'],
    ['codex', 'mcp__pincer__exec'],
    ['gemini', 'mcp_pincer_exec'],
  ] as const;
  const calls = names.map(([client, tool]) => [client, tool, client === 'codex' ? 'deny' : 'ask'] as const);

  it.each(calls)('is judged like the shell of %s where the server does not judge', async (client, tool, verdict) => {
    const ask = (input: object, setting: HookSetting = {}) =>
      decided([client, tool, input as Record<string, unknown>], setting);
    expect(await ask({ command: 'rm -rf x' })).toMatch(new RegExp(`^${verdict}: pincer: allowlist-miss: `, 'u'));
    expect(await ask({ cmd: 'rm -rf x' })).toMatch(new RegExp(`^${verdict}: pincer: allowlist-miss: `, 'u'));
    expect(await ask({ command: 'ls' })).toMatch(/^allow: pincer: allowlisted: /u);
    expect(await ask({ command: 'ls', env: { LD_PRELOAD: '/x' } })).toMatch(new RegExp(`^${verdict}: `, 'u'));
    expect(await ask({ command: 'echo a && ls', pty: true })).toMatch(
      new RegExp(`^${verdict}: pincer: interactive: `, 'u'),
    );
    expect(await ask({ command: 'ls', sudo: true })).toMatch(/^deny: pincer: PARAM_UNKNOWN: /u);
  });

  it.each(calls)('is left to the server that judges or confines it: %s', async (client, tool) => {
    const ask = (config: object) => decided([client, tool, { command: 'rm -rf x' }], { config });
    expect(await ask({ tools: { exec: { host: 'gateway' } } })).toBe('-');
    expect(await ask({ tools: { exec: { host: 'node' } } })).toBe('-');
    expect(await ask({ sandbox: { mode: 'all', backend: 'bubblewrap' } })).toBe('-');
  });

  it('is judged without the folder of the server, which the hook does not know', async () => {
    const allow = ['/usr/bin/git', '/**/sub/x'];
    const prepare = (project: string): void => writeFileSync(join(project, 'sub/x'), '#!/bin/sh\n', { mode: 0o755 });
    const ask = (input: Readonly<Record<string, unknown>>) =>
      decided(['claude-code', 'mcp__pincer__exec', input], { allow }, prepare);
    expect(await ask({ command: 'sub/x' })).toMatch(/^ask: pincer: not-found: /u);
    expect(await ask({ command: 'git status' })).toMatch(/^ask: pincer: .*the folder is unknown/u);
    expect(await ask({ command: 'sub/x', workdir: '<project>' })).toMatch(/^allow: /u);
    expect(await ask({ command: 'git status', workdir: '<project>' })).toMatch(/^allow: /u);
  });

  const entry = (command: string, ...args: readonly string[]) => ({ command, args: [...args, 'mcp'] });
  const tables = (project: string): void => {
    const servers = {
      mine: entry('/opt/pincer'),
      docs: entry('/usr/bin/ls'),
      wrapped: entry('/usr/bin/env', 'X=1', 'pincer'),
    };
    mkdirSync(join(project, '.gemini'));
    mkdirSync(join(project, '.codex'));
    writeFileSync(join(project, '.mcp.json'), JSON.stringify({ mcpServers: servers }));
    writeFileSync(join(project, '.gemini/settings.json'), JSON.stringify({ mcpServers: servers }));
    const toml = Object.entries(servers).map(
      ([name, { command, args }]) => `[mcp_servers.${name}]\ncommand = "${command}"\nargs = ${JSON.stringify(args)}\n`,
    );
    writeFileSync(join(project, '.codex/config.toml'), toml.join('\n'));
  };
  it.each(calls)(
    'R3-5: is known by what the server starts, and one of an unclear or unknown server asks: %s',
    async (client, tool, verdict) => {
      const ask = (server: string) =>
        decided([client, tool.replace('pincer', server), { command: 'rm -rf x' }], {}, tables);
      expect(await ask('mine')).toMatch(new RegExp(`^${verdict}: pincer: allowlist-miss: `, 'u'));
      expect(await ask('docs')).toBe('-');
      expect(await ask(client === 'gemini' ? 'docs_run' : 'docs__run')).toBe('-');
      expect(await ask('wrapped')).toMatch(
        new RegExp(`^${verdict}: pincer: not-known: the server wrapped cannot be identified, so `, 'u'),
      );
      expect(await ask('plugin_x_pincer')).toMatch(
        new RegExp(`^${verdict}: pincer: not-known: the server plugin_x_pincer is in no configuration file `, 'u'),
      );
    },
  );

  it('and its file tools keep their own rules', async () => {
    expect(await decided(['claude-code', 'mcp__pincer__write', { path: '/etc/hosts', content: 'x' }])).toBe('-');
  });
});

describe('without the sandbox of Claude Code', () => {
  const ask = (input: Record<string, unknown>, setting: HookSetting = {}) =>
    decided(['claude-code', 'Bash', { ...input, dangerouslyDisableSandbox: true }], setting);
  it('asks where the command alone is allowed', async () => {
    const why = 'pincer: the command would run without the sandbox of Claude Code';
    expect(await ask({ command: 'ls' })).toBe(`ask: ${why}`);
    expect(await ask({ command: 'ls' }, { mode: 'bypassPermissions' })).toMatch(`deny: ${why}; no person is asked`);
    const inside = { command: 'ls', dangerouslyDisableSandbox: false };
    expect(await decided(['claude-code', 'Bash', inside])).toMatch(/^allow: /u);
  });

  it('denies what a rule denies', async () => {
    const config = { tools: { exec: { denyRules: [{ pattern: '/**/rm' }] } } };
    expect(await ask({ command: 'rm x' }, { config })).toMatch(/^deny: pincer: deny-rule: /u);
  });
});

describe('the shell of', () => {
  it.each([
    ['codex', 'Bash', { command: 'sort a | uniq -c' }, 'allow: '],
    ['codex', 'Bash', { command: 'rm -rf x' }, 'deny: pincer: allowlist-miss: '],
    ['codex', 'Bash', { command: 'git status' }, 'deny: pincer: interactive: '],
    ['gemini', 'run_shell_command', { command: 'ls', description: 'd' }, 'allow: '],
    ['gemini', 'run_shell_command', { command: 'rm -rf x' }, 'ask: pincer: allowlist-miss: '],
    ['gemini', 'run_shell_command', { command: 'ls && ls' }, 'ask: pincer: interactive: '],
    ['gemini', 'run_shell_command', { command: 'git status' }, 'ask: pincer: interactive: '],
    ['gemini', 'run_shell_command', { command: './x', dir_path: 'sub' }, 'ask: pincer: interactive: '],
    ['gemini', 'run_shell_command', { command: './x' }, 'ask: pincer: not-found: '],
  ] as const)('%s %s %j', async (client, tool, input, answer) => {
    const allow = ['/usr/bin/ls', '/usr/bin/git', '/usr/bin/sort', '/**/sub/x'];
    const prepare = (project: string): void => {
      mkdirSync(join(project, 'sub'), { recursive: true });
      writeFileSync(join(project, 'sub/x'), '#!/bin/sh\n', { mode: 0o755 });
    };
    expect((await decided([client, tool, input], { allow }, prepare)).slice(0, answer.length)).toBe(answer);
  });
});
