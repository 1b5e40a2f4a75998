import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { localFiles } from '../../../src/hosts/files/files.ts';
import { outline } from '../../../src/tools/path/outline.ts';
import { resolve, validate } from '../../../src/tools/path/verbs.ts';
import { makeFolder } from '../../support/folder.ts';

const filesOf = (folder: string) => localFiles({ cwd: folder, stateDir: join(folder, '.state') });

describe('an outline', () => {
  it.each([
    [
      'every document of a YAML file',
      'm.yaml',
      'a: 1\n---\nb: {c: 2}\n---\n- x\n',
      3,
      ['a', '[doc].1', '[doc].1/b', '[doc].1/b/c', '[doc].2', '[doc].2/0'],
    ],
    ['a YAML file of one document', 'm.yaml', 'a: 1\n', 2, ['a']],
    ['the box of a task', 'm.md', '## A\n- [x] done\n- plain\n', 3, ['a', 'a/done', 'a/done/[checked]', 'a/plain']],
  ])('shows %s, and each address resolves', async (_what, name, content, depth, expected) => {
    const files = filesOf(makeFolder({ [name]: content }));
    const shown = await outline(files, `oc://${name}`, {}, depth);
    const paths = 'entries' in shown ? shown.entries.map(({ path }) => path) : [];
    expect(paths).toEqual(expected.map((place) => `oc://${name}/${place}`));
    for (const path of paths) expect(await resolve(files, path, {})).toMatchObject({ resolved: true });
  });

  it('names the broken file', async () => {
    const folder = makeFolder({ 'b.json': '{"a": 1,' });
    await expect(outline(filesOf(folder), 'oc://b.json', {}, 2)).rejects.toMatchObject({
      code: 'OC_JSONC_PARSE_FAILED',
      details: { path: join(folder, 'b.json'), line: 1 },
    });
  });
});

describe('validate', () => {
  it('refuses an address with the redaction mark', () => {
    expect(validate('oc://a.md/x?session=__OPENCLAW_REDACTED__')).toMatchObject({
      valid: false,
      code: 'OC_EMIT_SENTINEL',
    });
  });
});
