import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { assembleTools } from '../../../src/apps/assemble.ts';
import { isClientFile, isConfigName } from '../../../src/hosts/files/gate/protect.ts';
import { makeFolder } from '../../support/folder.ts';

const TEXT = '{ "tools": { "exec": { "host": "gateway" } } }\n';
const CALLS = [
  ['write', { path: 'home/.config/pincer/pincer.jsonc', content: '{}' }],
  ['write', { path: 'sub/pincer.jsonc', content: '{}' }],
  ['write', { path: 'sub/PINCER.jsonc', content: '{}' }],
  ['edit', { path: 'pincer.jsonc', oldText: 'gateway', newText: 'sandbox' }],
  ['apply_patch', { input: '*** Begin Patch\n*** Delete File: pincer.jsonc\n*** End Patch\n' }],
  ['apply_patch', { input: '*** Begin Patch\n*** Move File: other.txt -> sub/pincer.jsonc\n*** End Patch\n' }],
  ['apply_patch', { input: '*** Begin Patch\n*** Move File: pincer.jsonc -> other2.txt\n*** End Patch\n' }],
  ['path', { verb: 'set', path: 'oc://pincer.jsonc/tools/exec/host', value: 'sandbox' }],
] as const;

describe('a file of configuration', () => {
  it.each(CALLS)('is not changed by %s %j', async (tool, args) => {
    const workspace = makeFolder({ 'pincer.jsonc': TEXT, 'other.txt': 'x\n' });
    const box = assembleTools({ workspace, stateDir: makeFolder(), applyPatch: { byName: true } });
    expect(await box.call(tool, args)).toMatchObject({ isError: true, details: { code: 'FS_PROTECTED' } });
    expect(readFileSync(join(workspace, 'pincer.jsonc'), 'utf8')).toBe(TEXT);
    expect(readFileSync(join(workspace, 'other.txt'), 'utf8')).toBe('x\n');
  });

  it('can be read', async () => {
    const box = assembleTools({ workspace: makeFolder({ 'pincer.jsonc': TEXT }), stateDir: makeFolder() });
    expect(await box.call('read', { path: 'pincer.jsonc' })).toMatchObject({
      content: [{ text: expect.stringContaining('gateway') }],
    });
  });

  it.each([
    ['pincer.jsonc', true],
    ['Pincer.JSONC', true],
    ['pincer\u200b.jsonc', true],
    ['pincer.rules.jsonc', true],
    ['pincer.json', false],
    ['my-pincer.jsonc', false],
  ])('is recognised by its name: %j', (name, is) => expect(isConfigName(name)).toBe(is));
});

describe('F3-1: a file by which a client or editor starts programs', () => {
  it.each([
    ['/w/.mcp.json', true],
    ['/w/sub/.MCP.json', true],
    ['/w/.claude/settings.json', true],
    ['/w/.claude/settings.local.json', true],
    ['/w/.Claude/Settings.json', true],
    ['/w/.cursor/mcp.json', true],
    ['/w/.codex/config.toml', true],
    ['/w/.gemini/settings.json', true],
    ['/w/opencode.jsonc', true],
    ['/w/settings.json', false],
    ['/w/.claude/notes.md', true],
    ['/w/.cursor/hooks.json', true],
    ['/w/.opencode/plugin/x.js', true],
    ['/w/.openclaw/hooks/x.js', true],
    ['/w/.gemini/extensions/x/gemini-extension.json', true],
    ['/w/.kiro/settings/mcp.json', true],
    ['/w/.zed/settings.json', true],
    ['/w/.windsurf/hooks.json', true],
    ['/w/.vscode/tasks.json', true],
    ['/w/a/.VSCode/settings.json', true],
    ['/w/x.code-workspace', true],
    ['/w/.claude/commands/x.md', true],
    ['/w/.claude/rules/x.sh', true],
    ['/w/.claude/rules/.mcp.json', true],
    ['/w/.claude/worktrees/x/.vscode/tasks.json', true],
    ['/w/.github/hooks/x.json', true],
    ['/w/.hg/hgrc', true],
    ['/w/.clinerules/hooks/TaskStart', true],
    ['/w/.claude/CLAUDE.md', false],
    ['/w/.claude/rules/web/x.md', false],
    ['/w/.claude/worktrees/x/src/a.ts', false],
    ['/w/.cursor/rules/x.mdc', false],
    ['/w/.kiro/specs/login/tasks.md', false],
    ['/w/.vscode/a.code-snippets', false],
    ['/h/.openclaw/workspace-b/a.ts', false],
    ['/w/.github/workflows/ci.yml', false],
    ['/w/.devcontainer/devcontainer.json', false],
    ['/w/config.toml', false],
    ['/w/mcp.json', false],
  ])('is recognised by its name and folder: %j', (path, is) => expect(isClientFile(path)).toBe(is));

  it.each(['.mcp.json', '.claude/settings.json'])(
    'is not written by tools, unless the operator disables the protection: %s',
    async (path) => {
      const workspace = makeFolder();
      const write = (options: object) =>
        assembleTools({ workspace, stateDir: makeFolder(), ...options }).call('write', { path, content: '{}' });
      expect((await write({})).details).toMatchObject({ code: 'FS_PROTECTED', protected: 'client' });
      expect((await write({ protect: 'none' })).isError).toBeUndefined();
    },
  );
});
