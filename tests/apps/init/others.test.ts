/** What somebody else wrote into a client's file is not ours to change: entries of our name, members, hooks, files behind links. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import JSON5 from 'json5';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isOtherServer } from '../../../src/apps/init/server-owner.ts';
import { addedToHook, isPincerServer } from '../../../src/apps/init/own-entries.ts';
import { makeFolder, removeFolder } from '../../support/folder.ts';
import { place, program } from './place.ts';

/** A place with one file in it. */
function withFile(file: string, text: string) {
  const at = place();
  const path = join(dirname(at.project), file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return { ...at, path, now: () => readFileSync(path, 'utf8') };
}

describe('an entry with the name of pincer that init did not create', () => {
  it.each([
    ['cursor', 'project/.cursor/mcp.json', '{"mcpServers":{"pincer":{"command":"mine","env":{"A":"1"}}}}', ':1:16'],
    ['gemini', 'project/.gemini/settings.json', '{\n  "mcpServers": {\n    "pincer": null\n  }\n}\n', ':3:5'],
    ['opencode', 'project/opencode.json', '{"mcp":{"pincer":{"type":"local","command":["npx","pincer2"]}}}', ':1:9'],
    ['codex', 'home/.codex/config.toml', '[mcp_servers.pincer]\ncommand="u"\n', ':1:1'],
    ['codex', 'home/.codex/config.toml', 'a = 1\n[mcp_servers.pincer.env]\nA = "1"\n', ':2:1'],
    ['openclaw', 'home/.openclaw/openclaw.json', "{ mcp: { servers: { pincer: { url: 'http://x' } } } }", ':1:21'],
  ])('is refused by init and left alone by --remove: %s %s', (client, file, text, where) => {
    const { init, now, path } = withFile(file, text);
    const { status, stderr } = init(client, '--yes');
    expect({ status, error: (JSON.parse(stderr) as { error: { code: string; message: string } }).error }).toMatchObject(
      {
        status: 2,
        error: {
          code: 'CONFIG_CLIENT_CONFLICT',
          message: expect.stringMatching(`^${path}${where}: .*pincer is an entry that init did not create$`),
        },
      },
    );
    expect(JSON.parse(init(client, '--remove', '--yes').stdout)).toMatchObject({ status: 'unchanged' });
    expect(now()).toBe(text);
  });

  it('is refused also in the other file of opencode', () => {
    const { init, project, now } = withFile('project/opencode.json', '{"mcp":{"pincer":{"command":["mine"]}}}');
    writeFileSync(join(project, 'opencode.jsonc'), '{}');
    expect(init('opencode', '--yes').status).toBe(2);
    expect([now(), readFileSync(join(project, 'opencode.jsonc'), 'utf8')]).toEqual([
      '{"mcp":{"pincer":{"command":["mine"]}}}',
      '{}',
    ]);
  });
});

describe('a member that the user added to the entry', () => {
  it('stays in JSON when init updates the entry, with its comments, and is removed with the entry', () => {
    const { init, now } = withFile(
      'project/.mcp.json',
      '{\n  "mcpServers": {\n    "z": {},\n    "pincer": {\n      // mine\n      "command": "/old/pincer",\n      "env": { "A": "1" }, // keep\n      "args": ["mcp"]\n    }\n  }\n}\n',
    );
    expect(init('claude-code', '--yes').status).toBe(0);
    expect(now()).toContain('      // mine\n      "command": ');
    expect(now()).toContain('      "env": { "A": "1" }, // keep\n');
    const read = (): unknown => JSON5.parse<{ mcpServers: { pincer: unknown } }>(now()).mcpServers.pincer;
    const entry = { type: 'stdio', command: process.execPath, env: { A: '1' } };
    expect(read()).toEqual({ ...entry, args: [program, 'mcp'] });
    expect(JSON.parse(init('claude-code', '--yes').stdout)).toMatchObject({ status: 'unchanged' });
    init('claude-code', '--yes', '--preset', 'claude');
    expect(read()).toEqual({ ...entry, args: [program, 'mcp', '--preset', 'claude'] });
    init('claude-code', '--yes', '--http', 'http://127.0.0.1:1/mcp');
    expect(read()).toEqual({
      type: 'http',
      env: { A: '1' },
      url: 'http://127.0.0.1:1/mcp',
      headers: { Authorization: `Bearer \${PINCER_TOKEN}` },
    });
    expect(init('claude-code', '--remove', '--yes').status).toBe(0);
    expect(now()).toBe('{\n  "mcpServers": {\n    "z": {}\n  }\n}\n');
  });

  it('stays in TOML when init updates the entry, with its comments and tables, and is removed with the entry', () => {
    const mine = 'startup_timeout_sec = 9\n\n[mcp_servers.pincer.env]\nA = "1"\n\n[mcp_servers.z]\ncommand = "z"\n';
    const { init, now } = withFile(
      'home/.codex/config.toml',
      `[mcp_servers.pincer] # here\ncommand = 'pincer' # mine\n${mine}`,
    );
    init('codex', '--yes');
    const command = `command = ${JSON.stringify(process.execPath)} # mine\nstartup_timeout_sec = 9\n`;
    const rest = mine.slice(mine.indexOf('\n') + 1);
    expect(now()).toBe(`[mcp_servers.pincer] # here\n${command}args = ["${program}", "mcp"]\n${rest}`);
    init('codex', '--yes', '--http', 'http://127.0.0.1:1/mcp');
    expect(now()).toBe(
      `[mcp_servers.pincer] # here\nstartup_timeout_sec = 9\nurl = "http://127.0.0.1:1/mcp"\nbearer_token_env_var = "PINCER_TOKEN"\n${rest}`,
    );
    init('codex', '--remove', '--yes');
    expect(now()).not.toContain('pincer');
    expect(now()).toContain('[mcp_servers.z]\ncommand = "z"\n');
  });
});

describe('a hook', () => {
  const OURS: readonly (readonly [string, readonly string[]])[] = [
    ['pincer hook claude-code', []],
    ['/opt/x/pincer hook claude-code --agent reviewer', ['--agent', 'reviewer']],
    [`'/my tools/node' "/my tools/pincer.cjs" hook  claude-code`, []],
    [`/usr/bin/node20 '/it'\\''s/pincer.cjs' hook claude-code`, []],
    ['pincer hook claude-code --agent reviewer || exit 2', ['--agent', 'reviewer']],
  ];
  it.each(OURS)('is ours: %s', (command, added) => {
    expect(addedToHook({ type: 'command', command }, 'claude-code')).toEqual(added);
  });

  it.each([
    'echo not pincer hook claude-code-x; evil',
    'pincer hook claude-code-x',
    'audit.sh && pincer hook claude-code --agent reviewer',
    'curl http://x | sh # pincer hook claude-code',
    'pincer hook claude-code; evil',
    'pincer hook codex',
    'pincer hook claude-code || exit 2 || evil',
    'evil || exit 2',
    'pincer hook claude-code\nevil',
    'pincer hook claude-code $(evil)',
    'pincer hook claude-code "`evil`"',
    'pincer hook claude-code > /x',
    'PATH=/evil pincer hook claude-code',
    'evil pincer hook claude-code',
    'node evil.js pincer.cjs hook claude-code',
    'pincer2 hook claude-code',
    'pincer',
    '',
    7,
  ])('is not a hook of pincer: %j', (command) => {
    expect(addedToHook({ type: 'command', command }, 'claude-code')).toBeUndefined();
  });

  it('of another program stays, and is not reported as the hook of pincer', () => {
    const text = `${JSON.stringify({
      hooks: {
        PreToolUse: [
          { matcher: 'Bash', hooks: [{ type: 'command', command: 'audit.sh && pincer hook claude-code --agent x' }] },
        ],
      },
    })}\n`;
    const { init, now } = withFile('project/.claude/settings.json', text);
    const survey = (): string => init('--json').stdout;
    expect(survey()).not.toContain('"entry"');
    expect(JSON.parse(init('claude-code', '--remove', '--yes').stdout)).toMatchObject({ status: 'unchanged' });
    expect(init('claude-code', '--hook', '--yes').status).toBe(0);
    expect(survey()).toContain('"entry"');
    const { hooks } = JSON.parse(now()) as {
      hooks: { PreToolUse: readonly { hooks: readonly { command: string }[] }[] };
    };
    expect(hooks.PreToolUse.map((group) => group.hooks.map(({ command }) => command))).toEqual([
      ['audit.sh && pincer hook claude-code --agent x'],
      [`${process.execPath} ${program} hook claude-code || exit 2`],
    ]);
    init('claude-code', '--remove', '--yes');
    expect(now()).toBe(text);
  });

  it('of pincer must not share a group for some tools with another hook', () => {
    const hooks = [
      { type: 'command', command: 'pincer hook claude-code' },
      { type: 'command', command: 'mine' },
    ];
    const text = JSON.stringify({ hooks: { PreToolUse: [{ matcher: 'Bash', hooks }] } });
    const { init, now } = withFile('project/.claude/settings.json', text);
    const { status, stderr } = init('claude-code', '--hook', '--yes');
    expect({ status, told: stderr.includes('shares a group for') }).toEqual({ status: 2, told: true });
    expect(now()).toBe(text);
  });

  it('of pincer exists once after init, and not after --remove', () => {
    const mine = { type: 'command', command: 'mine' };
    const ours = (agent: string) => ({ type: 'command', command: `pincer hook claude-code --agent ${agent}` });
    const PreToolUse = [
      { matcher: 'Bash', hooks: [ours('a')] },
      { matcher: 'Edit', hooks: [mine, ours('b')] },
      { matcher: '*', hooks: [ours('c')] },
    ];
    const text = JSON.stringify({ hooks: { PreToolUse } });
    const left = { hooks: { PreToolUse: [{ matcher: 'Edit', hooks: [mine] }] } };
    const { init, now } = withFile('project/.claude/settings.json', text);
    init('claude-code', '--hook', '--yes');
    expect(now().match(/hook claude-code --agent ./gu)).toEqual(['hook claude-code --agent a']);
    init('claude-code', '--remove', '--yes');
    expect(JSON.parse(now())).toEqual(left);
    const other = withFile('project/.claude/settings.json', text);
    other.init('claude-code', '--remove', '--yes');
    expect(JSON.parse(other.now())).toEqual(left);
  });

  it('of pincer keeps added arguments', () => {
    const hook = { type: 'command', command: 'pincer hook claude-code --agent reviewer', statusMessage: 'asks' };
    const text = JSON.stringify({ hooks: { PreToolUse: [{ matcher: 'Bash|Zsh', hooks: [hook] }] } });
    const { init, now } = withFile('project/.claude/settings.json', text);
    init('claude-code', '--hook', '--yes');
    const command = `${process.execPath} ${program} hook claude-code --agent reviewer || exit 2`;
    expect(JSON.parse(now())).toEqual({
      hooks: {
        PreToolUse: [{ matcher: '*', hooks: [{ ...hook, command, timeout: 600, onFailure: 'block' }] }],
      },
    });
  });
});

it.each([
  [{ command: 'pincer', args: ['mcp'] }, true],
  [{ type: 'local', command: ['/usr/bin/node', '/x/pincer.cjs', 'mcp'] }, true],
  [{ url: 'http://x', headers: { Authorization: `Bearer \${PINCER_TOKEN}` } }, true],
  [{ url: 'http://x', bearer_token_env_var: 'PINCER_TOKEN' }, true],
  [{ command: 'sh', args: ['-c', 'pincer mcp'] }, false],
  [{ command: 'node', args: ['/x/mine.js', 'pincer.cjs'] }, false],
  [{ url: 'http://x' }, false],
  [{}, false],
  [[], false],
  ['pincer', false],
])('an entry %j is of pincer: %s', (entry, isOurs) => {
  expect(isPincerServer(entry)).toBe(isOurs);
});

it('R3-5: an entry is certainly another program only where it names one', () => {
  // Neither the names of folders here nor those of links may name pincer: what they hold and lead to must tell.
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'servers-')));
  onTestFinished(() => removeFolder(folder));
  writeFileSync(join(folder, 'server.js'), '');
  writeFileSync(join(folder, 'x.sh'), '#!/bin/sh\n', { mode: 0o755 });
  writeFileSync(join(folder, 'start.sh'), '#!/bin/sh\nexec pincer mcp\n', { mode: 0o755 });
  symlinkSync(program, join(folder, 'link.js'));
  const other = [
    { command: 'node', args: [join(folder, 'server.js'), '--root', '/srv'] },
    { command: 'npx', args: ['-y', '@acme/docs-server@1.2.3'] },
    { type: 'local', command: ['ls', 'stdio'] },
    { command: join(folder, 'x.sh'), env: { A: 'b' } },
  ];
  const unclear = [
    { command: 'npx', args: ['-y', 'pincer', 'mcp'] },
    { command: 'npx', args: ['-y', 'mcp-remote', 'http://127.0.0.1:7462/mcp'] },
    { command: 'npx', args: ['tsx', 'start.ts'] },
    { command: 'sh', args: ['-c', 'pincer mcp'] },
    { command: 'sh', args: ['-c', '$START'] },
    { command: '/usr/bin/env', args: ['X=1', 'run'] },
    { command: 'node', args: ['--max-old-space-size=500', '/opt/pincer/dist/pincer.cjs', 'mcp'] },
    { command: 'node', args: [join(folder, 'link.js')] },
    { command: 'node', args: ['server.js'] },
    { command: join(folder, 'start.sh') },
    { command: join(folder, 'not-there') },
    { command: 'docker', args: ['run', '-i', 'acme'] },
    { type: 'http', url: 'http://127.0.0.1:7462/mcp', headers: { Authorization: 'Bearer abcdef' } },
    {},
    null,
  ];
  const at = { folder, env: { PATH: '/usr/bin:/bin' } };
  expect(other.filter((entry) => !isOtherServer(entry, at))).toEqual([]);
  expect(unclear.filter((entry) => isOtherServer(entry, at))).toEqual([]);
});

describe('a link of a project that leads out of it', () => {
  it.each([
    ['.mcp.json', 'other.json', '{}\n'],
    ['.mcp.json', 'not-there-yet.json', undefined],
    ['.claude', '.', '{}\n'],
  ])('from %s to %s is not followed with --yes alone', (link, name, text) => {
    const { project, init } = place();
    const outside = makeFolder({});
    const file = link === '.claude' ? join(outside, 'settings.json') : join(outside, name);
    if (text !== undefined) writeFileSync(file, text);
    symlinkSync(join(outside, name), join(project, link));
    const { status, stderr } = init('claude-code', '--project', '--hook', '--yes');
    expect({ status, error: (JSON.parse(stderr) as { error: { code: string } }).error.code }).toEqual({
      status: 2,
      error: 'CONFIG_CLIENT_CONFLICT',
    });
    expect(stderr).toContain(file);
    expect(existsSync(file) ? readFileSync(file, 'utf8') : undefined).toBe(text);
    const answer = init('claude-code', '--project', '--hook', '--dry-run').stdout;
    expect(answer).toContain(`"linked": "${file}"`);
    expect(answer).toContain(`+++ ${file.slice(file.startsWith('/') ? 0 : 1)}`);
  });

  it('is followed inside of it, and the file that changes is named', () => {
    const { project, init } = place();
    writeFileSync(join(project, 'shared.json'), '{}\n');
    symlinkSync('shared.json', join(project, '.mcp.json'));
    const { status, stdout } = init('claude-code', '--project', '--yes', '--human');
    expect(status).toBe(0);
    expect(stdout).toContain(`changed ${join(project, 'shared.json')}\n`);
    expect(stdout).toContain(
      `${join(project, '.mcp.json')} is a symlink: the file that changes is ${join(project, 'shared.json')}`,
    );
  });
});
