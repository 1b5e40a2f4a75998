/** What `pincer init` refuses, and what it tells. */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runInit } from '../../../src/apps/cli/init/run.ts';
import { makeFolder } from '../../support/folder.ts';
import { place } from './place.ts';

describe('nothing is written', () => {
  it('without a terminal and without --yes: it shows the changes and exits 4', () => {
    const { project, init } = place();
    const { status, stdout } = init('gemini');
    expect({ status, answer: JSON.parse(stdout) }).toMatchObject({
      status: 4,
      answer: { status: 'needs-yes', files: [{ action: 'create' }] },
    });
    expect(init('gemini', '--human').stdout).toContain('nothing was written; add --yes to write it');
    expect(init('gemini', '--dry-run').status).toBe(0);
    expect(readdirSync(project)).toEqual(['.keep']);
  });

  it.each([
    [
      'claude-code',
      'project/.mcp.json',
      '{\n  "mcpServers": {\n    oops\n',
      'CONFIG_CLIENT_SYNTAX',
      ':3:5: syntax error',
    ],
    [
      'codex',
      'home/.codex/config.toml',
      'a = 1\nb = "never\n',
      'CONFIG_CLIENT_SYNTAX',
      ':2:5: syntax error: the string is not closed',
    ],
    [
      'openclaw',
      'home/.openclaw/openclaw.json',
      "{\n  a: 'x' b\n}",
      'CONFIG_CLIENT_SYNTAX',
      ':2:10: syntax error: invalid character',
    ],
    ['opencode', 'project/opencode.json', '{"mcp": []}', 'CONFIG_CLIENT_CONFLICT', ':1:9: mcp must be an object'],
    [
      'cursor',
      'project/.cursor/mcp.json',
      '{"mcpServers": {}, "mcpServers": {}}',
      'CONFIG_CLIENT_CONFLICT',
      'duplicate member',
    ],
    ['gemini', 'project/.gemini/settings.json', '[]', 'CONFIG_CLIENT_CONFLICT', 'expected an object'],
    [
      'codex',
      'home/.codex/config.toml',
      'mcp_servers = { x = { command = "y" } }\n',
      'CONFIG_CLIENT_CONFLICT',
      ':1:1: mcp_servers is written in a form',
    ],
    [
      'codex',
      'home/.codex/config.toml',
      '[mcp_servers]\npincer.command = "y"\n',
      'CONFIG_CLIENT_CONFLICT',
      ':2:1: mcp_servers.pincer.command',
    ],
  ])('to a file of %s with a syntax error or a conflict', (client, file, text, code, message) => {
    const { project, init } = place();
    const path = join(dirname(project), file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    const { status, stderr } = init(client, '--yes');
    expect({ status, error: (JSON.parse(stderr) as { error: { code: string } }).error.code }).toEqual({
      status: 2,
      error: code,
    });
    expect(stderr).toContain(JSON.stringify(message).slice(1, -1));
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  it.each([
    [['vim', '--yes'], 'unknown client'],
    [['openclaw', '--project'], 'no project configuration'],
    [['cursor', '--hook'], 'does not support hooks'],
    [['codex', '--project', '--user'], 'exclude each other'],
    [['codex', '--http', 'ftp://x'], '--http must be a URL'],
    [['codex', '--http', 'http://127.0.0.1:1/mcp"\n[evil]'], '--http must be a URL'],
    [['codex', '--http', 'http://127.0.0.1:1/m\ncp'], '--http must be a URL'],
    [['codex', '--http', 'http://u:p@x/mcp'], 'contains a password'],
    [['codex', '--http', 'http://x/mcp', '--preset', 'codex'], '--http excludes --workspace and --preset'],
    [['codex', '--preset', 'gpt'], 'unknown preset'],
    [['--yes'], 'needs the name of a client'],
  ])('for %j', async (args, message) => {
    let told = '';
    const output = {
      isTerminal: true,
      errorIsTerminal: true,
      quiet: false,
      colour: false,
      out: () => {},
      err: (text: string) => void (told += text),
    };
    expect({ status: await runInit(args, output), told: told.includes(message) }).toEqual({ status: 2, told: true });
  });
});

describe('inside of a session', () => {
  it.each([[['--yes']], [['--hook', '--yes']], [['--remove', '--yes']], [[]]])('%j is refused', (flags) => {
    const { project, init } = place();
    const inside = place('/usr/bin:/bin', { PINCER_SESSION: 'quick-crab' });
    const path = join(project, '.mcp.json');
    init('claude-code', '--yes');
    if (flags.includes('--remove')) writeFileSync(join(inside.project, '.mcp.json'), readFileSync(path));
    const before = readdirSync(inside.project);
    const { status, stderr } = inside.init('claude-code', ...flags);
    expect({ status, error: (JSON.parse(stderr) as { error: object }).error }).toMatchObject({
      status: 1,
      error: {
        code: 'APPROVAL_FROM_SESSION',
        message: 'changing the configuration of a client is not allowed inside a session (quick-crab)',
      },
    });
    expect(readdirSync(inside.project)).toEqual(before);
    expect(inside.init('claude-code', '--dry-run').status).toBe(0);
  });
});

describe('of two files that opencode reads', () => {
  it.each([
    [
      'the one that knows us is changed',
      '{"mcp": {"pincer": {"type": "local", "command": ["pincer"]}}}',
      '{}',
      ['pincer', undefined],
    ],
    ['the second is changed where neither knows us', '{}', '{}', [undefined, 'pincer']],
  ])('%s', (_, json, jsonc, expected) => {
    const { project, init } = place();
    const paths = [join(project, 'opencode.json'), join(project, 'opencode.jsonc')];
    writeFileSync(paths[0]!, json);
    writeFileSync(paths[1]!, jsonc);
    expect(init('opencode', '--yes').status).toBe(0);
    expect(paths.map((path) => /pincer(?=": \{\s*"type)/u.exec(readFileSync(path, 'utf8'))?.[0])).toEqual(expected);
    init('opencode', '--remove', '--yes');
    expect(paths.map((path) => readFileSync(path, 'utf8').includes('pincer'))).toEqual([false, false]);
  });
});

describe('a long or deep file', () => {
  it.each([
    ['a = """' + 'x'.repeat(9_000_000) + '"""\nb = "' + 'y'.repeat(100_000) + '"\n', 0],
    [`a = ${'['.repeat(100_000)}${']'.repeat(100_000)}\n`, 2],
  ])('of %# ends with the right code', (text, status) => {
    const { home, init } = place();
    mkdirSync(join(home, '.codex'));
    writeFileSync(join(home, '.codex/config.toml'), text);
    expect(init('codex', '--yes').status).toBe(status);
    init('codex', '--remove', '--yes');
    expect(readFileSync(join(home, '.codex/config.toml'), 'utf8') === text).toBe(true);
  });
});

describe('init without a client', () => {
  it('does not wait for a pipe and does not read a device that a repository put in the place of a file', () => {
    const { project, init } = place();
    for (const folder of ['.cursor', '.claude', '.gemini']) mkdirSync(join(project, folder));
    const pipes = ['.mcp.json', '.gemini/settings.json', 'opencode.json', 'opencode.jsonc'];
    const devices = ['.cursor/mcp.json', '.claude/settings.json'];
    expect(spawnSync('mkfifo', pipes, { cwd: project }).status).toBe(0);
    for (const name of devices) symlinkSync('/dev/zero', join(project, name));
    const { status, stdout } = init('--json');
    const { clients } = JSON.parse(stdout) as { clients: { files: { path: string; problem?: string }[] }[] };
    const problems = clients.flatMap(({ files }) => files.flatMap(({ problem }) => problem ?? []));
    expect({ status, problems: problems.toSorted() }).toEqual({
      status: 0,
      problems: [...pipes, ...devices].map((name) => `${join(project, name)} is not a regular file`).toSorted(),
    });
    expect(init('opencode', '--yes')).toMatchObject({ status: 3, stderr: expect.stringContaining('FS_NOT_REGULAR') });
  });

  it('lists the found clients and those with pincer configured', () => {
    const bin = makeFolder({ gemini: '#!/bin/sh\n' });
    chmodSync(join(bin, 'gemini'), 0o755);
    const { project, home, init } = place(`${bin}:/usr/bin:/bin`);
    init('claude-code', '--yes');
    mkdirSync(join(home, '.cursor'));
    mkdirSync(join(home, '.codex'));
    writeFileSync(join(home, '.codex/config.toml'), '[oops');
    const { clients } = JSON.parse(init('--json').stdout) as {
      clients: {
        name: string;
        program?: string;
        found: boolean;
        files: { path: string; entry?: unknown; problem?: string }[];
      }[];
    };
    expect(clients.map(({ name, found, program: at }) => [name, found, at])).toEqual([
      ['claude-code', true, undefined],
      ['codex', true, undefined],
      ['gemini', true, join(bin, 'gemini')],
      ['opencode', false, undefined],
      ['cursor', true, undefined],
      ['openclaw', false, undefined],
    ]);
    expect(
      clients.flatMap(({ files }) => files.filter(({ entry }) => entry !== undefined).map(({ path }) => path)),
    ).toEqual([join(project, '.mcp.json')]);
    expect(clients[1]!.files[0]!.problem).toContain('config.toml:1:6: syntax error');
    expect(init('--human').stdout).toContain('pincer is configured (server, project)');
    expect(existsSync(join(home, '.cursor/mcp.json'))).toBe(false);
  });
});
