import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { localFiles } from '../../../src/hosts/files/files.ts';
import { callTool } from '../../../src/tools/call.ts';
import { BIG } from '../../../src/tools/edit/draft.ts';
import { editTool } from '../../../src/tools/edit.ts';
import { makeFolder } from '../../support/folder.ts';

const latin = (text: string) => new Uint8Array(Buffer.from(text, 'latin1'));

function workspace(content: Uint8Array) {
  const folder = makeFolder({ a: content });
  const files = localFiles({ cwd: folder, stateDir: makeFolder(), durable: false });
  return {
    edit: (oldText: string, newText: string) =>
      callTool([editTool], 'edit', { path: 'a', oldText, newText }, { files }),
    present: () => new Uint8Array(readFileSync(join(folder, 'a'))),
  };
}

describe('an edit of a file that is not valid UTF-8', () => {
  it.each([
    ['puts plain ASCII in', 'caf\xE9 = 1\n', '= 1', '= 2', 'caf\xE9 = 2\n'],
    [
      'keeps a byte that the model was shown as U+FFFD',
      'caf\xE9 = 1\n',
      'caf\uFFFD = 1',
      'caf\uFFFD = 2',
      'caf\xE9 = 2\n',
    ],
    [
      'keeps valid characters around the change',
      'caf\xE9 \xC3\xA9 = 1\n',
      '\u00E9 = 1',
      '\u00E9 = 2',
      'caf\xE9 \xC3\xA9 = 2\n',
    ],
    ['takes valid characters out', 'caf\xE9 \xC3\xA9 = 1\n', '\u00E9 = 1', 'e = 1', 'caf\xE9 e = 1\n'],
  ])('%s', async (_, before, oldText, newText, after) => {
    const { edit, present } = workspace(latin(before));
    expect(await edit(oldText, newText)).toMatchObject({ details: { changed: true } });
    expect(present()).toEqual(latin(after));
  });

  const brings = 'a is not valid UTF-8, and newText would insert non-ASCII characters at line 2';
  const loses = 'the edit would replace bytes at line 2 of a that are not valid UTF-8';
  it.each([
    ['characters of another encoding', '= 1', '= \u00E9', brings],
    ['U+FFFD itself', '= 1', '= \uFFFD', brings],
    ['a new text that moves the byte', 'caf\uFFFD = 1', 'my caf\uFFFD = 2', loses],
    ['a new text without the byte', 'caf\uFFFD = 1', 'tea = 1', loses],
  ])('is refused for %s', async (_, oldText, newText, message) => {
    const before = latin('x\ncaf\xE9 = 1\n');
    const { edit, present } = workspace(before);
    expect(await edit(oldText, newText)).toMatchObject({
      isError: true,
      error: `${message}; nothing was changed`,
      details: { code: 'EDIT_ENCODING', path: 'a', line: 2 },
    });
    expect(present()).toEqual(before);
  });

  it('is refused in a large file too', async () => {
    const head = latin('x\n= 1\n');
    const content = new Uint8Array(BIG + 10).fill(0x61);
    content.set(head);
    const sound = workspace(content);
    expect(await sound.edit('= 1', '= \u00E9')).toMatchObject({ details: { changed: true } });
    content[BIG] = 0xe9;
    const damaged = workspace(content);
    expect(await damaged.edit('= 1', '= \u00E9')).toMatchObject({ details: { code: 'EDIT_ENCODING', line: 2 } });
    expect(await damaged.edit('= 1', '= 2')).toMatchObject({ details: { changed: true } });
  });
});

describe('an edit of valid text', () => {
  it('is refused for a lone surrogate', async () => {
    const { edit, present } = workspace(latin('one\n'));
    expect(await edit('one', 'x\uDCE9')).toMatchObject({
      error: 'edit: newText contains a lone surrogate',
      details: { code: 'PARAM_INVALID', parameter: 'newText' },
    });
    expect(present()).toEqual(latin('one\n'));
  });
});
