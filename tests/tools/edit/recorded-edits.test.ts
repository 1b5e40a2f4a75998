import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { localFiles } from '../../../src/hosts/files/files.ts';
import { callTool } from '../../../src/tools/call.ts';
import { editTool } from '../../../src/tools/edit.ts';
import { makeFolder } from '../../support/folder.ts';

function workspace(content: string) {
  const folder = makeFolder({ a: content });
  const files = localFiles({
    cwd: folder,
    stateDir: makeFolder(),
    durable: false,
    author: { agent: 'main', client: 'editor' },
  });
  return {
    files,
    edit: (...edits: object[]) => callTool([editTool], 'edit', { path: 'a', edits }, { files }),
    replace: (text: string) => writeFileSync(join(folder, 'a'), text),
  };
}

const many = Array.from({ length: 12 }, (_, i) => `line ${i}\n`).join('');

describe('a recorded edit', () => {
  it.each<[string, string, object[], number[]]>([
    ['of a piece of a line', 'x\nlog(one);\n', [{ oldText: 'one', newText: 'three' }], [2]],
    [
      'of two places in one call',
      `${many}a\nb\n`,
      [
        { oldText: 'line 1\n', newText: 'p\n' },
        { oldText: 'b', newText: 'q' },
      ],
      [2, 14],
    ],
    [
      'of two places near each other',
      'a\nb\n',
      [
        { oldText: 'a', newText: 'p' },
        { oldText: 'b', newText: 'q' },
      ],
      [1, 2],
    ],
    ['in the last line, which has no end', 'x\none', [{ oldText: 'one', newText: 'three' }], [2]],
    ['with other line ends', 'x\r\none\r\ntwo\r\n', [{ oldText: 'one\ntwo', newText: 'three\nfour' }], [2]],
    ['of every place at once', 'one\n', [{ oldText: 'one', newText: 'three', replaceAll: true }], [1]],
    ['deep in many lines that stay', many, [{ oldText: many, newText: many.replace('line 5\n', '') }], [1]],
  ])('%s proves that it was already applied', async (_, content, edits, appliedAt) => {
    const { edit } = workspace(content);
    expect(await edit(...edits)).toMatchObject({ details: { changed: true } });
    expect(await edit(...edits)).toMatchObject({ details: { changed: false, alreadyApplied: true, appliedAt } });
  });

  it('proves nothing about another edit', async () => {
    const { edit } = workspace('one\n');
    await edit({ oldText: 'one', newText: 'three' });
    expect(await edit({ oldText: 'two', newText: 'three' })).toMatchObject({
      isError: true,
      details: { code: 'EDIT_NOT_FOUND', newTextAt: 1 },
    });
  });

  it('proves nothing after an undo', async () => {
    const { edit, files, replace } = workspace('one\n');
    await edit({ oldText: 'one', newText: 'three' });
    expect((await files.changes()).undo()).toMatchObject({ ok: true });
    replace('three\n');
    expect(await edit({ oldText: 'one', newText: 'three' })).toMatchObject({ details: { code: 'EDIT_NOT_FOUND' } });
  });

  it('is not needed for a bracket to be no proof', async () => {
    const { edit } = workspace('int main() {\n}\n');
    expect(await edit({ oldText: 'garbage();', newText: '}' })).toMatchObject({
      details: { code: 'EDIT_NOT_FOUND', newTextAt: 2 },
    });
  });
});
