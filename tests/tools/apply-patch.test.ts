import {
  chmodSync,
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { localFiles } from '../../src/hosts/files/files.ts';
import { applyPatch, applyPatchTool } from '../../src/tools/apply-patch.ts';
import { callTool } from '../../src/tools/call.ts';
import type { ToolContext } from '../../src/tools/tool.ts';
import { makeFolder } from '../support/folder.ts';
import { fc, runs } from '../support/property.ts';

const block = (...lines: readonly string[]) => ['*** Begin Patch', ...lines, '*** End Patch'].join('\n');

function workspace(content: Readonly<Record<string, string | Uint8Array>> = {}, more: Partial<ToolContext> = {}) {
  const folder = makeFolder(content);
  const files = localFiles({ cwd: folder, stateDir: makeFolder(), durable: false });
  return {
    folder,
    files,
    patch: (input: string, options: Readonly<Record<string, unknown>> = {}) =>
      callTool([applyPatchTool], 'apply_patch', { input, ...options }, { files, ...more }),
    tree: () => treeOf(folder),
  };
}

/** Every file below a folder with its text; a link as an arrow. */
function treeOf(folder: string, prefix = ''): Record<string, string> {
  const tree: Record<string, string> = {};
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const [path, name] = [join(folder, entry.name), `${prefix}${entry.name}`];
    if (entry.isDirectory()) Object.assign(tree, treeOf(path, `${name}/`));
    else tree[name] = entry.isSymbolicLink() ? `-> ${readlinkSync(path)}` : readFileSync(path, 'utf8');
  }
  return tree;
}

describe('the answer', () => {
  it('names what was added, modified and deleted', async () => {
    const { patch, tree } = workspace({ 'src/main.js': 'function main() {\n}\n', 'src/old.js': 'old\n' });
    const answer = await patch(
      '*** Begin Patch\n*** Add File: src/hello.js\nconsole.log("Hello");\n*** End Patch\n\n*** Begin Patch\n' +
        '*** Modify File: src/main.js\n@@ -1,2 +1,3 @@\n function main() {\n+ console.log("Main");\n }\n' +
        '*** Delete File: src/old.js\n*** End Patch',
    );
    expect(answer).toEqual({
      content: [
        { type: 'text', text: 'Success. Updated the following files:\nA src/hello.js\nM src/main.js\nD src/old.js' },
      ],
      details: {
        summary: { added: ['src/hello.js'], modified: ['src/main.js'], deleted: ['src/old.js'] },
        moved: [],
        unchanged: [],
        warnings: [],
        workspaceOnly: true,
        diff: [
          '--- /dev/null',
          '+++ src/hello.js',
          '@@ -0,0 +1,1 @@',
          '+console.log("Hello");',
          '--- src/main.js',
          '+++ src/main.js',
          '@@ -1,2 +1,3 @@',
          ' function main() {',
          '+ console.log("Main");',
          ' }',
          '--- src/old.js',
          '+++ /dev/null',
          '@@ -1,1 +0,0 @@',
          '-old',
          '',
        ].join('\n'),
      },
    });
    expect(tree()).toEqual({
      'src/hello.js': 'console.log("Hello");\n',
      'src/main.js': 'function main() {\n console.log("Main");\n}\n',
    });
  });

  it('lists the unchanged files of a patch without effect', async () => {
    const { folder, patch } = workspace({ a: 'a\nb\n' });
    const before = statSync(join(folder, 'a'), { bigint: true });
    const answer = await patch(block('*** Update File: a', '@@', '-a', '+a', ' b'));
    expect(answer).toMatchObject({
      content: [{ type: 'text', text: 'No changes made to a.' }],
      details: { summary: { added: [], modified: [], deleted: [] }, unchanged: ['a'], diff: '' },
    });
    const after = statSync(join(folder, 'a'), { bigint: true });
    expect({ ino: after.ino, ctime: after.ctimeNs }).toEqual({ ino: before.ino, ctime: before.ctimeNs });
  });

  it('reports lenient matches and ignored lines', async () => {
    const { patch } = workspace({ a: 'x  \ny\n' });
    const answer = await patch(`Here:\n${block('*** Update File: a', '@@', ' x', '-y', '+z')}`);
    const warning = 'line 1 outside *** Begin Patch and *** End Patch was ignored';
    expect(answer).toMatchObject({
      content: [{ text: 'Success. Updated the following files:\nM a' }, { text: `Warning: ${warning}.` }],
      details: { warnings: [warning], fuzz: [{ path: 'a', levels: { 'trailing-blanks': 1 } }] },
    });
  });

  it('shows the diff of a dry run and changes nothing', async () => {
    const { patch, tree } = workspace({ a: '1\n', b: '2\n' });
    const answer = await patch(block('*** Update File: a', '*** Move to: c', '@@', '-1', '+3', '*** Delete File: b'), {
      dry_run: true,
    });
    const diff =
      'rename from a\nrename to c\n--- a\n+++ c\n@@ -1,1 +1,1 @@\n-1\n+3\n--- b\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-2\n';
    expect(answer).toMatchObject({
      content: [{ text: 'Dry run. The patch would update the following files:\nM c\nD b' }, { text: diff }],
      details: { dryRun: true, diff, moved: [{ from: 'a', to: 'c' }] },
    });
    expect(tree()).toEqual({ a: '1\n', b: '2\n' });
  });

  it('keeps the diff within bounds', async () => {
    const { patch } = workspace({});
    const answer = await patch(block('*** Add File: a', ...Array.from({ length: 20_000 }, (_, i) => `+line ${i}`)));
    expect(String(answer.details['diff']).length).toBeLessThan(33_000);
  });

  it('accepts the alias of the parameter', async () => {
    const { files, tree } = workspace();
    await callTool([applyPatchTool], 'apply_patch', { patch: block('*** Add File: a', '+1') }, { files });
    expect(tree()).toEqual({ a: '1\n' });
  });
});

describe('several operations', () => {
  it.each([
    [
      'an addition, then an update of it',
      {},
      ['*** Add File: a', '+1', '*** Update File: a', '@@', '-1', '+2'],
      { a: '2\n' },
      'A a',
    ],
    [
      'two updates of one file',
      { a: '1\n2\n' },
      ['*** Update File: a', '@@', '-1', '+x', '*** Update File: a', '@@', ' x', '-2', '+y'],
      { a: 'x\ny\n' },
      'M a',
    ],
    [
      'an update, then a deletion',
      { a: '1\n' },
      ['*** Update File: a', '@@', '-1', '+2', '*** Delete File: a'],
      {},
      'D a',
    ],
    [
      'a deletion, then an addition',
      { a: '1\n' },
      ['*** Delete File: a', '*** Add File: a', '+2'],
      { a: '2\n' },
      'M a',
    ],
    [
      'an addition, then a deletion',
      { b: '1\n' },
      ['*** Add File: a', '+2', '*** Delete File: a', '*** Delete File: b'],
      {},
      'D b',
    ],
    [
      'a move, then an update',
      { a: '1\n' },
      ['*** Move File: a -> d/b', '*** Update File: d/b', '@@', '-1', '+2'],
      { 'd/b': '2\n' },
      'M d/b',
    ],
    [
      'a move, then an addition at the old name',
      { a: '1\n' },
      ['*** Move File: a -> b', '*** Add File: a', '+2'],
      { a: '2\n', b: '1\n' },
      'M a|M b',
    ],
    ['a move, then a deletion', { a: '1\n' }, ['*** Move File: a -> b', '*** Delete File: b'], {}, 'D a'],
    [
      'a move there and back',
      { a: '1\n' },
      ['*** Move File: a -> b', '*** Move File: b -> a'],
      { a: '1\n' },
      'No changes made to a.',
    ],
    [
      'a deletion, then a move to that name',
      { a: '1\n', b: '2\n' },
      ['*** Delete File: b', '*** Move File: a -> b'],
      { b: '1\n' },
      'M b',
    ],
    [
      'a chain of moves',
      { a: '1\n', b: '2\n' },
      ['*** Move File: b -> c', '*** Move File: a -> b'],
      { b: '1\n', c: '2\n' },
      'M b|M c',
    ],
    [
      'a swap',
      { a: '1\n', b: '2\n' },
      ['*** Move File: a -> t', '*** Move File: b -> a', '*** Move File: t -> b'],
      { a: '2\n', b: '1\n' },
      'M a|M b',
    ],
    ['an addition of a moved file', {}, ['*** Add File: a', '+1', '*** Move File: a -> b'], { b: '1\n' }, 'A b'],
    [
      'several files',
      { a: '1\n', b: '2\n' },
      ['*** Update File: b', '@@', '-2', '+3', '*** Update File: a', '@@', '-1', '+4'],
      { a: '4\n', b: '3\n' },
      'M b|M a',
    ],
  ])('apply together: %s', async (_, content, lines, expected, said) => {
    const { patch, tree } = workspace(content);
    const answer = await patch(block(...lines));
    expect({ tree: tree(), said: JSON.stringify(answer.content) }).toEqual({
      tree: expected,
      said: JSON.stringify([
        {
          type: 'text',
          text: said.startsWith('No') ? said : `Success. Updated the following files:\n${said.replaceAll('|', '\n')}`,
        },
      ]),
    });
  });

  it('report both sizes of a replaced file', async () => {
    const { patch } = workspace({ a: '1\n' });
    const answer = await patch(block('*** Delete File: a', '*** Add File: a', '+new text'));
    expect(answer.details).toMatchObject({
      summary: { added: [], modified: ['a'], deleted: [] },
      replaced: [{ path: 'a', bytesBefore: 2, bytesAfter: 9 }],
    });
  });
});

describe('moving', () => {
  it.each([
    ['itself', 'a'],
    ['another spelling of itself', './d/../a'],
    ['a link to itself', 'link'],
    ['itself through a linked folder', 'here/a'],
  ])('to %s changes the file in place', async (_, target) => {
    const { folder, patch, tree } = workspace({ a: '1\n', 'd/x': '' });
    symlinkSync('a', join(folder, 'link'));
    symlinkSync('.', join(folder, 'here'));
    await patch(block('*** Update File: a', `*** Move to: ${target}`, '@@', '-1', '+2'));
    expect(tree()).toMatchObject({ a: '2\n', link: '-> a' });
  });

  it('keeps the file itself and its mode', async () => {
    const { folder, patch } = workspace({ 'run.sh': 'echo 1\n' });
    chmodSync(join(folder, 'run.sh'), 0o755);
    const before = statSync(join(folder, 'run.sh'));
    await patch(block('*** Move File: run.sh -> bin/run'));
    const after = statSync(join(folder, 'bin/run'));
    expect({ ino: after.ino, mode: after.mode }).toEqual({ ino: before.ino, mode: before.mode });
  });

  it.each([
    ['changed on the way', ['*** Update File: run.sh', '*** Move to: run', '@@', '-echo 1', '+echo 2']],
    ['changed in place', ['*** Update File: run.sh', '@@', '-echo 1', '+echo 2', '*** Move File: run.sh -> run']],
  ])('keeps the mode of a file that is %s', async (_, lines) => {
    const { folder, patch, tree } = workspace({ 'run.sh': 'echo 1\n' });
    chmodSync(join(folder, 'run.sh'), 0o755);
    await patch(block(...lines));
    expect({ tree: tree(), mode: statSync(join(folder, 'run')).mode & 0o777 }).toEqual({
      tree: { run: 'echo 2\n' },
      mode: 0o755,
    });
  });
});

describe('links', () => {
  it('are followed by an update and removed by a deletion', async () => {
    const { folder, patch, tree } = workspace({ 'd/a': '1\n' });
    symlinkSync('d/a', join(folder, 'link'));
    await patch(block('*** Update File: link', '@@', '-1', '+2'));
    expect(tree()).toEqual({ 'd/a': '2\n', link: '-> d/a' });
    expect(await patch(block('*** Delete File: link'))).toMatchObject({ details: { summary: { deleted: ['link'] } } });
    expect(tree()).toEqual({ 'd/a': '2\n' });
  });
});

describe('a link that the patch deletes', () => {
  it.each([
    ['updated through', ['*** Update File: ./link', '@@', '-1', '+2']],
    ['replaced by a file', ['*** Add File: link', '+2']],
    ['moved onto', ['*** Move File: b -> link']],
  ])('is not %s afterwards', async (_, lines) => {
    const { folder, patch, tree } = workspace({ a: '1\n', b: '' });
    symlinkSync('a', join(folder, 'link'));
    const answer = await patch(block('*** Delete File: link', ...lines), { overwrite: true });
    expect({ code: answer.details['code'], tree: tree() }).toEqual({
      code: 'PATCH_CONFLICT',
      tree: { a: '1\n', b: '', link: '-> a' },
    });
  });
});

describe('bytes', () => {
  const latin1 = Uint8Array.from([0x63, 0x61, 0x66, 0xe9, 0x0a, 0x78, 0x0a]);

  it('that are not UTF-8 stay, and new ASCII lines are written among them', async () => {
    const { folder, patch } = workspace({ a: latin1 });
    await patch(block('*** Update File: a', '@@', '-x', '+yy'));
    expect([...readFileSync(join(folder, 'a'))]).toEqual([0x63, 0x61, 0x66, 0xe9, 0x0a, 0x79, 0x79, 0x0a]);
  });

  it('that are not UTF-8 refuse other new text', async () => {
    const { folder, patch } = workspace({ a: latin1 });
    expect(await patch(block('*** Update File: a', '@@', '-x', '+é'))).toMatchObject({
      details: { code: 'PATCH_ENCODING' },
    });
    expect([...readFileSync(join(folder, 'a'))]).toEqual([...latin1]);
  });

  it.each([
    ['little', 'utf-16le', (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le')],
    ['big', 'utf-16be', (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le').swap16()],
  ])('of UTF-16 with the %s end first are read and written as such', async (_, encoding, encode) => {
    const { folder, patch } = workspace({ a: encode('ä\r\nb\r\n') });
    await patch(block('*** Update File: a', '@@', ' ä', '-b', '+日本'));
    expect(new TextDecoder(encoding).decode(readFileSync(join(folder, 'a')))).toBe('ä\r\n日本\r\n');
  });
});

describe('a refusal', () => {
  it.each([
    ['of a blank input', {}, ' \n', 'PATCH_BLANK', 'Provide a patch input.'],
    ['of an empty patch', {}, block(''), 'PATCH_EMPTY', 'No files were modified.'],
    ['of a text that is no patch', {}, 'hello', 'PATCH_SYNTAX', 'the patch has no *** Begin Patch line'],
    [
      'of a hunk that is not there',
      { a: '1\n' },
      block('*** Update File: a', '@@', '-2'),
      'PATCH_MISMATCH',
      'hunk 1 of a (line 3 of the patch) is not in the file',
    ],
    [
      'of a hunk in two places',
      { a: '1\n1\n' },
      block('*** Update File: a', '@@', '-1'),
      'PATCH_AMBIGUOUS',
      'hunk 1 of a (line 3 of the patch) matches 2 places',
    ],
    [
      'of hunks that overlap',
      { a: '1\n2\n' },
      block('*** Update File: a', '@@', '-1', '-2', '@@', '-2'),
      'PATCH_OVERLAP',
      'hunk 2 of a (line 6 of the patch) changes lines that another hunk changes',
    ],
    [
      'of an addition onto a file',
      { a: '1\n' },
      block('*** Add File: a', '+2'),
      'PATCH_EXISTS',
      'the patch adds a, which already exists',
    ],
    [
      'of a move onto a file',
      { a: '1\n', b: '2\n' },
      block('*** Move File: a -> b'),
      'PATCH_EXISTS',
      'the patch moves a file to b, which already exists',
    ],
    [
      'of two additions of one file',
      {},
      block('*** Add File: a', '+1', '*** Add File: ./a', '+2'),
      'PATCH_CONFLICT',
      'the patch adds a twice',
    ],
    [
      'of an update behind a deletion',
      { a: '1\n' },
      block('*** Delete File: a', '*** Update File: a', '@@', '-1'),
      'PATCH_CONFLICT',
      'the patch updates a after it deleted or moved the file',
    ],
    [
      'of a file that is a folder too',
      {},
      block('*** Add File: a', '+1', '*** Add File: a/b', '+2'),
      'PATCH_CONFLICT',
      'the patch uses a as a file and as a folder',
    ],
    [
      'of a missing file',
      { 'b.txt': '' },
      block('*** Update File: c.txt', '@@', '-1'),
      'PATCH_FILE_MISSING',
      'the patch updates c.txt, which does not exist',
    ],
    [
      'of a missing file to delete',
      {},
      block('*** Delete File: c'),
      'PATCH_FILE_MISSING',
      'the patch deletes c, which does not exist',
    ],
    [
      'of a folder to delete',
      { 'd/a': '' },
      block('*** Delete File: d'),
      'PATCH_NOT_A_FILE',
      'd is a folder, but a patch changes only files',
    ],
    [
      'of a folder to update',
      { 'd/a': '' },
      block('*** Update File: d', '@@', '-1'),
      'PATCH_NOT_A_FILE',
      'd is a folder, but a patch changes only files',
    ],
    [
      'of a folder to move to',
      { 'd/a': '', b: '' },
      block('*** Move File: b -> d'),
      'PATCH_NOT_A_FILE',
      'd is a folder, but a patch changes only files',
    ],
  ])('%s has a reason and changes nothing', async (_, content, input, code, message) => {
    const { patch, tree } = workspace(content);
    const before = tree();
    expect(await patch(input)).toMatchObject({ isError: true, error: message, details: { code } });
    expect(tree()).toEqual(before);
  });

  it('of an outside path happens before any read', async () => {
    const { folder, patch } = workspace({ 'a/a': '1\n' });
    const answer = await patch(block('*** Update File: a/a', '@@', '-missing', '*** Add File: ../../out', '+1'));
    expect({ code: answer.details['code'], out: existsSync(join(folder, '../../out')) }).toEqual({
      code: 'FS_OUTSIDE_WORKSPACE',
      out: false,
    });
  });

  it('of a later operation leaves no change of the earlier ones', async () => {
    const bad = fc.constantFrom(
      ['*** Update File: missing', '@@', '-1'],
      ['*** Update File: a', '@@', '-missing'],
      ['*** Delete File: missing'],
      ['*** Add File: b', '+x'],
      ['*** Add File: ../x', '+x'],
    );
    const good = fc.constantFrom(
      ['*** Update File: a', '@@', '+more'],
      ['*** Add File: new', '+x'],
      ['*** Delete File: c'],
      ['*** Move File: d -> e/f'],
    );
    const { patch, tree } = workspace({ a: '1\n', b: '2\n', c: '3\n', d: '4\n' });
    const before = tree();
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(good, { maxLength: 4 }), bad, async (many, last) => {
        expect(await patch(block(...many.flat(), ...last))).toMatchObject({ isError: true });
        expect(tree()).toEqual(before);
      }),
      { numRuns: runs(40) },
    );
  });

  it('is lifted by overwrite', async () => {
    const { patch, tree } = workspace({ a: '1\n', b: '2\n', c: '3\n' });
    await patch(block('*** Add File: a', '+x', '*** Move File: c -> b'), { overwrite: true });
    expect(tree()).toEqual({ a: 'x\n', b: '3\n' });
  });
});

describe('paths', () => {
  it.each([
    ['in quotes', '"a b"'],
    ['in back-ticks', '`a b`'],
    ['with an @', '@a b'],
    ['with blanks behind them', 'a b  '],
    ['from the workspace up and down', 'd/../a b'],
  ])('are understood %s', async (_, path) => {
    const { patch, tree } = workspace({ 'a b': '1\n', 'd/x': '' });
    await patch(block(`*** Update File: ${path}`, '@@', '-1', '+2'));
    expect(tree()).toEqual({ 'a b': '2\n', 'd/x': '' });
  });

  it('are tried literally first', async () => {
    const { patch, tree } = workspace({ '"a"': '1\n', a: '1\n' });
    await patch(block('*** Update File: "a"', '@@', '-1', '+2'));
    expect(tree()).toEqual({ '"a"': '2\n', a: '1\n' });
  });

  it('with backslashes are names, not folders', async () => {
    const { patch } = workspace({ 'd/a': '1\n' });
    expect(await patch(block('*** Update File: d\\a', '@@', '-1', '+2'))).toMatchObject({
      details: { code: 'PATCH_FILE_MISSING' },
    });
  });
});

describe('aborting', () => {
  it('stops before parsing when the signal is aborted', async () => {
    const { files, tree } = workspace();
    const input = block('*** Add File: a', '+1');
    const answer = await callTool([applyPatchTool], 'apply_patch', { input }, { files, signal: AbortSignal.abort() });
    expect(answer).toMatchObject({ isError: true, error: 'Aborted', details: { code: 'TOOL_ABORTED' } });
    await expect(applyPatch(input, { files, signal: AbortSignal.abort() })).rejects.toMatchObject({
      name: 'AbortError',
    });
    expect(tree()).toEqual({});
  });

  it('stops in the middle of a long file without a change', async () => {
    const lines = Array.from({ length: 60_000 }, (_, i) => `line ${i}`);
    const { files, tree } = workspace({ a: `${lines.join('\n')}\n`, b: '1\n' });
    const hunks = lines.map((line) => `@@\n-${line}\n+${line}!`).join('\n');
    const stop = new AbortController();
    const work = applyPatch(block('*** Update File: b', '@@', '-1', '+2', '*** Update File: a', hunks), {
      files,
      signal: stop.signal,
    });
    setImmediate(() => stop.abort());
    await expect(work).rejects.toMatchObject({ name: 'AbortError', code: 'TOOL_ABORTED' });
    expect(tree()).toEqual({ a: `${lines.join('\n')}\n`, b: '1\n' });
  });

  it('stops right before the commit', async () => {
    const { files, tree } = workspace({ a: '1\n' });
    const stop = new AbortController();
    const late = {
      ...files,
      workspace: files.workspace,
      writer: (purpose: string) => {
        stop.abort();
        return files.writer(purpose);
      },
    };
    await expect(applyPatch(block('*** Delete File: a'), { files: late, signal: stop.signal })).rejects.toMatchObject({
      name: 'AbortError',
    });
    expect(tree()).toEqual({ a: '1\n' });
  });
});

describe('concurrent writers', () => {
  it('lose nothing between planning and writing', async () => {
    const { files, folder, tree } = workspace({ a: '1\n2\n3\n4\n' });
    const raced = {
      ...files,
      workspace: files.workspace,
      writer: (purpose: string) => {
        writeFileSync(join(folder, 'a'), '0\n1\n2\n3\n4\n');
        return files.writer(purpose);
      },
    };
    await applyPatch(block('*** Update File: a', '@@', '-4', '+four'), { files: raced });
    expect(tree()).toEqual({ a: '0\n1\n2\n3\nfour\n' });
  });

  it('make it refuse when the hunk no longer matches', async () => {
    const { files, folder, tree } = workspace({ a: '1\n' });
    const raced = {
      ...files,
      workspace: files.workspace,
      writer: (purpose: string) => {
        writeFileSync(join(folder, 'a'), 'other\n');
        return files.writer(purpose);
      },
    };
    await expect(applyPatch(block('*** Update File: a', '@@', '-1', '+2'), { files: raced })).rejects.toMatchObject({
      code: 'PATCH_MISMATCH',
    });
    expect(tree()).toEqual({ a: 'other\n' });
  });

  it('apply many patches of one file', async () => {
    const { patch, tree } = workspace({ a: Array.from({ length: 20 }, (_, i) => `${i}\n`).join('') });
    await Promise.all(
      Array.from({ length: 20 }, (_, i) => patch(block('*** Update File: a', '@@', `-${i}`, `+${i} done`))),
    );
    expect(tree()).toEqual({ a: Array.from({ length: 20 }, (_, i) => `${i} done\n`).join('') });
  });
});

describe('files with several hard links', () => {
  it('are not moved onto another of their names', async () => {
    const folder = makeFolder({ a: '1\n' });
    linkSync(join(folder, 'a'), join(folder, 'b'));
    const files = localFiles({ cwd: folder, stateDir: makeFolder(), durable: false, hardLinks: 'in-place' });
    await applyPatch(block('*** Move File: a -> b'), { files });
    expect(treeOf(folder)).toEqual({ a: '1\n', b: '1\n' });
  });
});

describe('a file that an agent has read', () => {
  const memory = (onStale: 'advise' | 'refuse') => {
    const known = new Map<string, string>();
    return {
      onStale,
      remember: (path: string, hash: string) => void known.set(path, hash),
      recall: (path: string) => known.get(path),
    };
  };

  it('is refused or reported when it has changed since, and a write is remembered', async () => {
    const reads = memory('advise');
    const { folder, files, patch } = workspace({ a: '1\n' }, { reads });
    reads.remember(join(folder, 'a'), 'another hash');
    expect(await patch(block('*** Update File: a', '@@', '-1', '+2'))).toMatchObject({ details: { stale: ['a'] } });
    expect((await patch(block('*** Update File: a', '@@', '-2', '+3'))).details).not.toHaveProperty('stale');
    reads.remember(join(folder, 'a'), 'another hash');
    const strict = { ...reads, onStale: 'refuse' as const };
    await expect(
      applyPatch(block('*** Update File: a', '@@', '-3', '+4'), { files, reads: strict }),
    ).rejects.toMatchObject({ code: 'EDIT_STALE' });
  });
});
