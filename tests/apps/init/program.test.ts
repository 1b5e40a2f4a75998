/** `pincer init` through the built program, on commented configurations of every client. */
import { spawn } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeFolder } from '../../support/folder.ts';
import { place, program } from './place.ts';

const CONFIGS: readonly (readonly [client: string, flags: readonly string[], file: string, text: string])[] = [
  [
    'claude-code',
    [],
    'project/.mcp.json',
    '{\n  // the team\'s servers\n  "mcpServers": {\n    "docs": { "type": "http", "url": "https://x" }, // read only\n  },\n}\n',
  ],
  [
    'claude-code',
    ['--user'],
    'home/.claude.json',
    '{"numStartups":3,"projects":{"/x":{"allowedTools":[]}},"id":12345678901234567890}',
  ],
  [
    'codex',
    [],
    'home/.codex/config.toml',
    '# mine\nmodel = "gpt-5"\n\n[mcp_servers.docs] # read only\ncommand = "npx"\nargs = [\n  "-y", # yes\n  "docs",\n]',
  ],
  ['codex', ['--project'], 'project/.codex/config.toml', '[features]\r\nx = true\r\n'],
  [
    'gemini',
    [],
    'project/.gemini/settings.json',
    '// comments are fine here\n{\n\t"ui": {"theme": "Default"} /* dark */\n}\n',
  ],
  [
    'opencode',
    [],
    'project/opencode.jsonc',
    '{\r\n  "$schema": "https://opencode.ai/config.json",\r\n  // servers\r\n  "mcp": {},\r\n}',
  ],
  ['opencode', ['--user'], 'home/.config/opencode/opencode.json', '\uFEFF{ }\n'],
  ['cursor', [], 'project/.cursor/mcp.json', '{"mcpServers":{}}'],
  ['cursor', ['--user'], 'home/.cursor/mcp.json', ''],
  [
    'openclaw',
    [],
    'home/.openclaw/openclaw.json',
    "// OpenClaw\n{\n  agents: { defaults: { workspace: '~/w', }, },\n  mcp: {\n    servers: { docs: { command: 'npx', args: ['docs',], }, }, // more\n  },\n}\n",
  ],
];

describe('a commented configuration', () => {
  it.each(CONFIGS)('of %s %j is the same after init and --remove', (client, flags, file, text) => {
    const { project, init } = place();
    const path = join(dirname(project), file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    const first = init(client, ...flags, '--yes');
    expect({ status: first.status, stderr: first.stderr }).toEqual({ status: 0, stderr: '' });
    const answer = JSON.parse(first.stdout) as { readonly status: string; readonly files: readonly object[] };
    expect({ status: answer.status, files: answer.files }).toMatchObject({
      status: 'written',
      files: [{ path, part: 'server', action: 'change' }],
    });
    const written = readFileSync(path, 'utf8');
    expect(written).toContain(program);
    expect(JSON.parse(init(client, ...flags, '--yes').stdout)).toMatchObject({ status: 'unchanged' });
    expect(readFileSync(path, 'utf8')).toBe(written);
    expect(init(client, ...flags, '--remove', '--yes').status).toBe(0);
    expect(readFileSync(path, 'utf8')).toBe(text);
  });
});

describe('a file that was not there', () => {
  it('is created with its folders, and removed with them', () => {
    const { project, home, init } = place();
    expect(init('claude-code', '--hook', '--yes').status).toBe(0);
    expect(init('codex', '--yes').status).toBe(0);
    expect(statSync(join(home, '.codex/config.toml')).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(join(project, '.claude/settings.json'), 'utf8'))).toEqual({
      hooks: {
        PreToolUse: [
          {
            matcher: '*',
            hooks: [
              {
                type: 'command',
                command: `${process.execPath} ${program} hook claude-code || exit 2`,
                timeout: 600,
                onFailure: 'block',
              },
            ],
          },
        ],
      },
    });
    init('claude-code', '--remove', '--yes');
    init('codex', '--remove', '--yes');
    expect([readdirSync(project), readdirSync(home)]).toEqual([['.keep'], ['.keep']]);
  });

  it('B22: is made for the hook of codex, which has to be trusted in codex', () => {
    const { home, init } = place();
    const { files, notes } = JSON.parse(init('codex', '--hook', '--yes').stdout) as Record<string, readonly unknown[]>;
    expect(files).toMatchObject([{ part: 'server' }, { part: 'hook', path: join(home, '.codex/hooks.json') }]);
    const untrusted = 'Codex does not run the hook before you trust it';
    expect(notes).toContain(`${untrusted}: start codex and type /hooks`);
    expect(init().stdout).toContain(untrusted);
    const config = readFileSync(join(home, '.codex/config.toml'), 'utf8');
    const state = `[hooks.state."${home}/.codex/hooks.json:pre_tool_use:0:0"]`;
    writeFileSync(join(home, '.codex/config.toml'), `${config}\n# ${state}\n${state}\ntrusted_hash = "sha256:7e"\n`);
    expect(init().stdout).toContain('Codex does not run the hook, because it was trusted in another form');
    expect(JSON.parse(readFileSync(join(home, '.codex/hooks.json'), 'utf8'))).toEqual({
      hooks: {
        PreToolUse: [
          {
            matcher: '*',
            hooks: [{ type: 'command', command: `${process.execPath} ${program} hook codex || exit 2`, timeout: 600 }],
          },
        ],
      },
    });
    init('codex', '--remove', '--yes');
    expect(readdirSync(join(home, '.codex'))).toEqual(['config.toml']);
  });

  it('B22: contains the server and the hook of gemini, written and removed in one step', () => {
    const { project, init } = place();
    const path = join(project, '.gemini/settings.json');
    init('gemini', '--yes');
    const server = readFileSync(path, 'utf8');
    expect(JSON.parse(init('gemini', '--hook', '--yes').stdout)).toMatchObject({
      status: 'written',
      files: [{ path, part: 'server-and-hook', action: 'change' }],
    });
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({
      ...(JSON.parse(server) as object),
      hooks: {
        BeforeTool: [
          {
            matcher: '*',
            hooks: [
              {
                type: 'command',
                command: `${process.execPath} ${program} hook gemini || exit 2`,
                name: 'pincer',
                timeout: 600_000,
              },
            ],
          },
        ],
      },
    });
    expect(JSON.parse(init('gemini', '--hook', '--yes').stdout)).toMatchObject({ status: 'unchanged' });
    init('gemini', '--remove', '--yes');
    expect(readdirSync(project)).toEqual(['.keep']);
  });

  it('stays when it is not empty', () => {
    const { project, init } = place();
    init('cursor', '--yes');
    const path = join(project, '.cursor/mcp.json');
    const { mcpServers } = JSON.parse(readFileSync(path, 'utf8')) as { mcpServers: object };
    writeFileSync(path, JSON.stringify({ mcpServers: { ...mcpServers, docs: { url: 'http://x' } } }));
    init('cursor', '--remove', '--yes');
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ mcpServers: { docs: { url: 'http://x' } } });
  });
});

describe('what is written', () => {
  it('names the program by its name where the pincer on PATH is this one', () => {
    const bin = makeFolder();
    symlinkSync(program, join(bin, 'pincer'));
    chmodSync(program, 0o755);
    const { project, init } = place(`${bin}:/usr/bin:/bin`);
    init('claude-code', '--yes', '--workspace', '.', '--preset', 'claude');
    expect(JSON.parse(readFileSync(join(project, '.mcp.json'), 'utf8'))).toEqual({
      mcpServers: {
        pincer: { type: 'stdio', command: 'pincer', args: ['mcp', '--workspace', project, '--preset', 'claude'] },
      },
    });
  });

  it.each([
    ['claude-code', 'project/.mcp.json', `"Authorization": "Bearer \${PINCER_TOKEN}"`],
    ['codex', 'home/.codex/config.toml', 'bearer_token_env_var = "PINCER_TOKEN"'],
    ['gemini', 'project/.gemini/settings.json', '"httpUrl": "http://127.0.0.1:7462/mcp"'],
    ['opencode', 'project/opencode.json', '"Bearer {env:PINCER_TOKEN}"'],
    ['cursor', 'project/.cursor/mcp.json', `"Bearer \${env:PINCER_TOKEN}"`],
    ['openclaw', 'home/.openclaw/openclaw.json', '"transport": "streamable-http"'],
  ])('for %s over HTTP takes the token from the environment', (client, file, part) => {
    const { project, init } = place();
    expect(init(client, '--yes', '--http', 'http://127.0.0.1:7462/mcp').status).toBe(0);
    const text = readFileSync(join(dirname(project), file), 'utf8');
    expect(text).toContain(part);
    expect(text).toContain('http://127.0.0.1:7462/mcp');
  });

  it('comes with a note where the folder of the tools is missing', () => {
    const { home, init } = place();
    const folder = join(home, '.openclaw/workspace');
    const notes = () => (JSON.parse(init('openclaw', '--dry-run').stdout) as { notes: string[] }).notes;
    const note = `create the folder ${folder} first: the server does not start without it`;
    expect(notes()).toContain(note);
    mkdirSync(folder, { recursive: true });
    expect(notes()).not.toContain(note);
  });

  it('is shown without the rest of a line of megabytes', () => {
    const { home, init } = place();
    const path = join(home, '.claude.json');
    writeFileSync(
      path,
      JSON.stringify({ secret: 'hidden'.repeat(500_000), mcpServers: { a: {} }, more: 'hidden'.repeat(500_000) }),
    );
    const { stdout } = init('claude-code', '--user', '--yes');
    expect({ isShort: stdout.length < 4_000, diff: stdout.includes('"pincer') || stdout.includes('pincer') }).toEqual({
      isShort: true,
      diff: true,
    });
    expect(stdout).toContain('…');
  });

  it('follows a link and keeps the mode of the target', () => {
    const { home, init } = place();
    const real = join(home, 'dotfiles/claude.json');
    mkdirSync(dirname(real));
    writeFileSync(real, '{}', { mode: 0o640 });
    symlinkSync('dotfiles/claude.json', join(home, '.claude.json'));
    expect(init('claude-code', '--user', '--yes').status).toBe(0);
    expect(lstatSync(join(home, '.claude.json')).isSymbolicLink()).toBe(true);
    expect({ mode: statSync(real).mode & 0o777, ours: readFileSync(real, 'utf8').includes('pincer') }).toEqual({
      mode: 0o640,
      ours: true,
    });
    init('claude-code', '--user', '--remove', '--yes');
    expect(readFileSync(real, 'utf8')).toBe('{}');
  });
});

describe('at the same time', () => {
  it('several inits leave one entry, and --remove restores the file', async () => {
    const { project, home, init } = place();
    const path = join(project, '.mcp.json');
    const text = '{ "mcpServers": { "a": {} } /* mine */ }\n';
    writeFileSync(path, text);
    const env = { PATH: '/usr/bin:/bin', HOME: home, PINCER_STATE_DIR: join(dirname(project), 'state') };
    const codes = await Promise.all(
      ['claude', 'codex', 'claude', 'openclaw', 'minimal'].map(
        (preset) =>
          new Promise((ended) => {
            const args = [program, 'init', 'claude-code', '--yes', '--preset', preset];
            spawn(process.execPath, args, { cwd: project, env, stdio: 'ignore' }).on('close', ended);
          }),
      ),
    );
    expect(codes).toEqual([0, 0, 0, 0, 0]);
    expect(readFileSync(path, 'utf8').match(/"pincer"/gu)).toHaveLength(1);
    init('claude-code', '--remove', '--yes');
    expect(readFileSync(path, 'utf8')).toBe(text);
  });
});
