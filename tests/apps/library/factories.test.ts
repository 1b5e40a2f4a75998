import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  createApplyPatchTool,
  createHostWorkspaceEditTool,
  createHostWorkspaceWriteTool,
  createSandboxedReadTool,
  type SandboxBridge,
} from '../../../src/apps/library/index.ts';
import { makeFolder } from '../../support/folder.ts';

function place(files: Readonly<Record<string, string>> = {}) {
  const folder = makeFolder({ 'ws/.keep': '', ...files });
  return { folder, root: join(folder, 'ws'), others: { stateDir: join(folder, 'state'), durable: false } };
}

describe('createHostWorkspaceWriteTool', () => {
  it('writes as the tool host_workspace_write', async () => {
    const { root, others } = place();
    const tool = createHostWorkspaceWriteTool(root, { workspaceOnly: true, ...others });
    expect([tool.name, tool.label]).toEqual(['host_workspace_write', 'host_workspace_write']);
    const answer = await tool.execute('c1', { path: 'src/main.js', content: 'console.log("Hello, all");' });
    expect(answer.content).toEqual([{ type: 'text', text: 'Successfully wrote 26 bytes to src/main.js' }]);
    expect(answer.details).toMatchObject({ path: 'src/main.js', bytesWritten: 26, workspaceOnly: true });
  });

  it.each([
    { said: {}, outside: true },
    { said: { workspaceOnly: false }, outside: true },
    { said: { workspaceOnly: true }, outside: false },
  ])('accesses files outside the root as configured: $said', async ({ said, outside }) => {
    const { folder, root, others } = place();
    const tool = createHostWorkspaceWriteTool(root, { ...said, ...others });
    const done = await tool.execute('c1', { path: '../out.txt', content: 'x' }).then(
      () => true,
      () => false,
    );
    expect([done, existsSync(join(folder, 'out.txt'))]).toEqual([outside, outside]);
  });
});

describe('createHostWorkspaceEditTool', () => {
  it('edits by any of the usual names, as the tool host_workspace_edit', async () => {
    const { root, others } = place({ 'ws/src/main.js': 'console.log("Hello");' });
    const tool = createHostWorkspaceEditTool(root, { workspaceOnly: true, ...others });
    const answer = await tool.execute('c1', {
      file_path: 'src/main.js',
      old_string: 'console.log("Hello");',
      new_string: 'console.log("Hello, World!");',
    });
    expect(answer.content).toEqual([{ type: 'text', text: 'Successfully edited src/main.js' }]);
    expect(answer.details).toMatchObject({ path: 'src/main.js', workspaceOnly: true });
    expect([tool.name, readFileSync(join(root, 'src/main.js'), 'utf8')]).toEqual([
      'host_workspace_edit',
      'console.log("Hello, World!");',
    ]);
  });
});

describe('createApplyPatchTool', () => {
  it('applies a patch and reports the changes', async () => {
    const { root, others } = place({ 'ws/src/main.js': 'function main() {\n}\n' });
    const tool = createApplyPatchTool({ cwd: root, ...others });
    const input =
      '*** Begin Patch\n*** Add File: src/hello.js\n+console.log("Hello");\n*** Update File: src/main.js\n@@\n function main() {\n+  console.log("Main");\n }\n*** End Patch';
    const answer = await tool.execute('c1', { input });
    expect([tool.name, tool.label, answer.content, answer.details['summary']]).toEqual([
      'apply_patch',
      'apply_patch',
      [{ type: 'text', text: 'Success. Updated the following files:\nA src/hello.js\nM src/main.js' }],
      { added: ['src/hello.js'], modified: ['src/main.js'], deleted: [] },
    ]);
  });

  it.each([
    { sent: {}, message: 'Provide a patch input.' },
    { sent: { input: 7 }, message: 'Provide a patch input.' },
    { sent: { input: ' \n' }, message: 'Provide a patch input.' },
    { sent: { input: '*** Begin Patch\n*** End Patch' }, message: 'No files were modified.' },
  ])('throws $message for $sent', async ({ sent, message }) => {
    const { root, others } = place();
    const tool = createApplyPatchTool({ cwd: root, ...others });
    await expect(tool.execute('c1', sent)).rejects.toThrow(message);
  });

  it('stays inside the folder by default', async () => {
    const { folder, root, others } = place();
    const args = { input: '*** Begin Patch\n*** Add File: ../out.txt\n+x\n*** End Patch' };
    await expect(createApplyPatchTool({ cwd: root, ...others }).execute('c1', args)).rejects.toThrow('out.txt');
    expect(existsSync(join(folder, 'out.txt'))).toBe(false);
    await createApplyPatchTool({ cwd: root, workspaceOnly: false, ...others }).execute('c2', args);
    expect(readFileSync(join(folder, 'out.txt'), 'utf8')).toBe('x\n');
  });

  it('refuses what is meant for a sandbox', () => {
    const options = { cwd: place().root, sandbox: { bridge: {} } };
    expect(() => createApplyPatchTool(options)).toThrow('not in a sandbox');
  });
});

describe('B26: createSandboxedReadTool', () => {
  /** A bridge that knows these files, and what it was asked. */
  function bridgeOf(files: Readonly<Record<string, string>>) {
    const asked: string[] = [];
    const bridge: SandboxBridge = {
      stat: async ({ filePath }) => {
        asked.push(filePath);
        if (filePath === '/box/src') return { type: 'directory' };
        return files[filePath] === undefined ? null : { type: 'file' };
      },
      readFile: async ({ filePath }) => Buffer.from(files[filePath] ?? ''),
    };
    return { asked, bridge };
  }

  it('reads through the bridge, in pages, with the details of a sandbox', async () => {
    const { bridge } = bridgeOf({ '/box/src/main.js': 'one\ntwo\nthree\n', '/box/@types/a.ts': 'types' });
    const tool = createSandboxedReadTool({ root: '/box/', bridge });
    expect([tool.name, tool.prepareArguments({ file_path: 'a' })]).toEqual(['sandboxed_read', { path: 'a' }]);
    expect(await tool.execute('c1', { path: '/box/src/main.js', limit: 2 })).toMatchObject({
      content: [{ type: 'text', text: 'one\ntwo\n\n[1 more line in file. Use offset=3 to continue.]' }],
      details: { path: 'src/main.js', sandbox: true, totalLines: 3 },
    });
    for (const path of ['@types/a.ts', '@@types/a.ts']) {
      expect((await tool.execute('c2', { path })).content).toEqual([{ type: 'text', text: 'types' }]);
    }
  });

  it('hides secrets as the tool read does', async () => {
    const { bridge } = bridgeOf({ '/box/.env': 'KEY=s3cret\n' });
    const { content } = await createSandboxedReadTool({ root: '/box', bridge }).execute('c1', { path: '.env' });
    expect(content).toEqual([{ type: 'text', text: 'KEY=***\n\n[Values are hidden as ***.]' }]);
  });

  it.each([
    ['../etc/passwd', 'FS_OUTSIDE_WORKSPACE'],
    ['/boxes/a', 'FS_OUTSIDE_WORKSPACE'],
    ['src/../..', 'FS_OUTSIDE_WORKSPACE'],
    ['src', 'READ_IS_FOLDER'],
    ['none.txt', 'FS_NOT_FOUND'],
    ['a\0b', 'FS_NAME_NUL'],
  ])('refuses %j and asks the bridge for nothing outside of the root', async (path, code) => {
    const { asked, bridge } = bridgeOf({});
    await expect(createSandboxedReadTool({ root: '/box', bridge }).execute('c1', { path })).rejects.toMatchObject({
      code,
    });
    expect(asked.filter((one) => !one.startsWith('/box/'))).toEqual([]);
  });

  it('refuses a relative root and an invalid bridge', () => {
    const { bridge } = bridgeOf({});
    expect(() => createSandboxedReadTool({ root: 'box', bridge })).toThrow('root must be an absolute path');
    expect(() => createSandboxedReadTool({ root: '/box', bridge: {} as SandboxBridge })).toThrow('readFile and stat');
  });
});
