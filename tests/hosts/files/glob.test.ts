import { expect, it } from 'vitest';
import { expandGlob } from '../../../src/hosts/files/gate/glob.ts';
import { makeFolder } from '../../support/folder.ts';

it('a glob finds files, and is refused when it has to search more than the limit', () => {
  const folder = makeFolder({ 'a.md': '', 'b/c.md': '', 'b/d.txt': '' });
  expect(expandGlob(folder, '**/*.md', 4)).toEqual(['a.md', 'b/c.md']);
  expect(() => expandGlob(folder, '**/*.md', 3)).toThrow('**/*.md has to search more than 3 files and folders');
  expect(expandGlob(folder, 'b/*.md', 2)).toEqual(['b/c.md']);
});
