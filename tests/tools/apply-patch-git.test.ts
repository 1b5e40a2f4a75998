import { chmodSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { localFiles } from '../../src/hosts/files/files.ts';
import { applyPatchTool } from '../../src/tools/apply-patch.ts';
import { callTool } from '../../src/tools/call.ts';
import { makeFolder } from '../support/folder.ts';

function workspace(content: Readonly<Record<string, string>>) {
  const folder = makeFolder(content);
  const files = localFiles({ cwd: folder, stateDir: makeFolder(), durable: false });
  return {
    folder,
    patch: (lines: readonly string[], options: Readonly<Record<string, unknown>> = {}) =>
      callTool([applyPatchTool], 'apply_patch', { input: lines.join('\n'), ...options }, { files }),
    tree: () =>
      Object.fromEntries(
        readdirSync(folder, { withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map(({ name }) => [name, readFileSync(join(folder, name), 'utf8')]),
      ),
    mode: (name: string) => statSync(join(folder, name)).mode & 0o777,
  };
}

const deletion = (name: string, ...lines: readonly string[]) => [
  `diff --git a/${name} b/${name}`,
  'deleted file mode 100644',
  ...(lines.length === 0
    ? []
    : [`--- a/${name}`, '+++ /dev/null', `@@ -1,${lines.length} +0,0 @@`, ...lines.map((line) => `-${line}`)]),
  '',
];

describe('a git diff that deletes', () => {
  it.each([
    ['an empty file', { f: '' }, deletion('f')],
    ['a file with these lines', { f: 'x\ny\n' }, deletion('f', 'x', 'y')],
    [
      'a file with these lines and no newline',
      { f: 'x' },
      [...deletion('f', 'x').slice(0, -1), '\\ No newline at end of file'],
    ],
    ['a file of which it shows nothing', { f: 'x\n' }, ['--- a/f', '+++ /dev/null', '']],
  ])('removes %s', async (_, content, lines) => {
    const { patch, tree } = workspace(content);
    await patch(lines);
    expect(tree()).toEqual({});
  });

  it.each([
    ['has other lines', { f: 'z\n' }, deletion('f', 'x')],
    ['has more lines', { f: 'x\ny\n' }, deletion('f', 'x')],
    ['is not empty', { f: 'x\n' }, deletion('f')],
  ])('is refused when the file %s', async (_, content, lines) => {
    const { patch, tree } = workspace(content);
    expect(await patch(lines)).toMatchObject({ isError: true, details: { code: 'PATCH_MISMATCH' } });
    expect(tree()).toEqual(content);
  });

  it('is refused when it lists the lines of a file but the path is a symlink', async () => {
    const { folder, patch, tree } = workspace({ g: 'x\n' });
    symlinkSync('g', join(folder, 'f'));
    expect(await patch(deletion('f', 'x'))).toMatchObject({
      error: 'f is a symlink, but the patch deletes a file with lines',
      details: { code: 'PATCH_NOT_A_FILE' },
    });
    expect(tree()).toEqual({ g: 'x\n' });
  });
});

describe('a git diff', () => {
  it('creates empty files and executables', async () => {
    const { patch, tree, mode } = workspace({});
    await patch([
      'diff --git a/e b/e',
      'new file mode 100644',
      'diff --git a/p b/p',
      'new file mode 100755',
      '--- /dev/null',
      '+++ b/p',
      '@@ -0,0 +1 @@',
      '+x',
      '',
    ]);
    expect({ tree: tree(), mode: mode('p') }).toEqual({ tree: { e: '', p: 'x\n' }, mode: 0o755 });
  });

  it('copies instead of moving', async () => {
    const { patch, tree } = workspace({ f: 'a\n' });
    const lines = [
      'diff --git a/f b/g',
      'copy from f',
      'copy to g',
      '--- a/f',
      '+++ b/g',
      '@@ -1 +1 @@',
      '-a',
      '+b',
      '',
    ];
    expect(await patch(lines)).toMatchObject({ isError: true, details: { code: 'PATCH_SYNTAX' } });
    expect(tree()).toEqual({ f: 'a\n' });
  });

  it('reports that a mode is not changed', async () => {
    const { patch, mode } = workspace({ f: 'a\n' });
    const answer = await patch(['diff --git a/f b/f', 'old mode 100644', 'new mode 100755', '']);
    expect({ content: answer.content, executable: mode('f') & 0o111 }).toEqual({
      content: [
        { type: 'text', text: 'No changes made to f.' },
        { type: 'text', text: 'Warning: the mode of f is unchanged; a patch changes content only.' },
      ],
      executable: 0,
    });
  });
});

describe('files that swap names', () => {
  const swap = [
    '*** Begin Patch',
    '*** Move File: a -> t',
    '*** Move File: b -> a',
    '*** Move File: t -> b',
    '*** End Patch',
  ];

  it('are refused when their modes differ', async () => {
    const { folder, patch, tree } = workspace({ a: 'secret\n', b: 'open\n' });
    chmodSync(join(folder, 'a'), 0o600);
    chmodSync(join(folder, 'b'), 0o644);
    expect(await patch(swap)).toMatchObject({
      error: 'the patch swaps files with different modes: a has 600, b has 644',
      details: { code: 'PATCH_CONFLICT' },
    });
    expect(tree()).toEqual({ a: 'secret\n', b: 'open\n' });
  });

  it('are swapped when their modes are equal', async () => {
    const { patch, tree } = workspace({ a: '1\n', b: '2\n' });
    await patch(swap);
    expect(tree()).toEqual({ a: '2\n', b: '1\n' });
  });
});

describe('a dry run', () => {
  it.each([
    ['adds', ['*** Add File: .git/hooks/x', '+x']],
    ['changes', ['*** Update File: .git/config', '-a', '+b']],
    ['deletes', ['*** Delete File: .git/config']],
    ['moves into it', ['*** Move File: f -> .git/f']],
    ['moves out of it', ['*** Move File: .git/config -> f2']],
  ])('refuses what the writer refuses: a patch that %s a file of git', async (_, lines) => {
    const { patch } = workspace({ '.git/config': 'a\n', f: 'x\n' });
    const input = ['*** Begin Patch', ...lines, '*** End Patch'];
    const codeOf = async (options: Readonly<Record<string, unknown>>) =>
      (await patch(input, options)).details?.['code'] ?? 'done';
    expect([await codeOf({ dryRun: true }), await codeOf({})]).toEqual(['FS_PROTECTED', 'FS_PROTECTED']);
  });
});

describe('a symlink that one patch deletes and adds', () => {
  it.each([
    ['that leads to a file', 'g'],
    ['that leads nowhere', 'nowhere'],
  ])('is refused with a clear message: one %s', async (_, target) => {
    const { folder, patch } = workspace({ g: 'x\n' });
    symlinkSync(target, join(folder, 'l'));
    const lines = ['*** Begin Patch', '*** Delete File: l', '*** Add File: l', '+x', '*** End Patch'];
    expect(await patch(lines)).toMatchObject({
      error: 'the patch uses the symlink l after it deleted or moved it',
      details: {
        code: 'PATCH_CONFLICT',
        hint: 'name the file itself, or delete or move the symlink in a separate patch',
      },
    });
  });
});
