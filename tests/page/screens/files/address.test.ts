import { describe, expect, it } from 'vitest';
import {
  completions,
  fileAddress,
  filesPath,
  lastName,
  prefixesOf,
  typedPrefixes,
} from '../../../../src/page/screens/files/address.ts';
import { parseOcPath } from '../../../../src/text/address/parse.ts';

describe('the address of a file', () => {
  it.each(['README.md', 'deploy/a b.yaml', 'a"b\\c.md', 'odd \u202etxt.md', '日本.md', 'a.b/c.d/e.json'])(
    'of %j is read as the same file',
    (file) => {
      expect(parseOcPath(fileAddress(file)).file).toBe(file);
    },
  );
});

describe('the path of a file on the page', () => {
  it.each([
    ['deploy/a b.yaml', undefined, '/files/deploy/a%20b.yaml'],
    ['a.md', 'oc://a.md/x', '/files/a.md?at=oc%3A%2F%2Fa.md%2Fx'],
    ['changes/a.md', undefined, '/files?at=oc%3A%2F%2F%24%22changes%2Fa.md%22'],
    ['changes/a.md', 'oc://"changes/a.md"/x', '/files?at=oc%3A%2F%2F%22changes%2Fa.md%22%2Fx'],
  ])('of %s at %s is never a path of the record of changes', (file, address, path) => {
    expect(filesPath(file, address)).toBe(path);
  });
});

describe('an address', () => {
  it('has a prefix for each slot', () => {
    expect(prefixesOf({ file: 'a.yaml', section: 'x.y', item: '0', field: 'z' })).toEqual([
      { slot: 'file', address: 'oc://$"a.yaml"' },
      { slot: 'section', address: 'oc://$"a.yaml"/x.y' },
      { slot: 'item', address: 'oc://$"a.yaml"/x.y/0' },
      { slot: 'field', address: 'oc://$"a.yaml"/x.y/0/z' },
    ]);
  });

  it('is cut at its separators, the longest part first', () => {
    expect(typedPrefixes('oc://a/b.c/[d')).toEqual(['oc://a/b.c', 'oc://a/b', 'oc://a']);
    expect(typedPrefixes('oc:/')).toEqual([]);
  });

  it.each([
    ['oc://"deploy/a.yaml"/image/tag', 'tag'],
    ['oc://a.json/x.y', 'y'],
    ['oc://a.json/x/"a.b/c"', 'a.b/c'],
    ['oc://a.json/x/$"a\\"b"', 'a"b'],
    ['oc://a.md/[frontmatter]', '[frontmatter]'],
    ['oc://a.yaml/[doc].1', '1'],
  ])('%s has the last name %s', (address, name) => {
    expect(lastName(address)).toBe(name);
  });
});

describe('completion', () => {
  const ADDRESSES = ['oc://a.md', 'oc://a.md/tools', 'oc://a.md/tools/gh', 'oc://a.md/end'];

  it('offers what begins with the text before what contains it, and not the text itself', () => {
    expect(completions(ADDRESSES, 'oc://a.md/tools', 9)).toEqual(['oc://a.md/tools/gh']);
    expect(completions(ADDRESSES, 'GH', 9)).toEqual(['oc://a.md/tools/gh']);
    expect(completions(ADDRESSES, 'oc://', 2)).toEqual(['oc://a.md', 'oc://a.md/tools']);
  });
});
