import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { chunkPattern, CHUNKS } from '../../scripts/chunks.mjs';

const sources = readdirSync(join(import.meta.dirname, '..', '..', 'src'), { recursive: true, encoding: 'utf8' }).map(
  (path) => path.replaceAll('\\', '/'),
);

it.each(Object.entries(CHUNKS))('every entry of the chunk %s names files of src', (_, entries) => {
  const stale = entries.filter(
    (entry) => !sources.some((path) => path.endsWith('.ts') && chunkPattern(entry).test(path)),
  );
  expect(stale).toEqual([]);
});
