// @ts-check
/**
 * Builds the program of the conformance fixtures, which uses the sources of the real transports. They are in tests/fixtures and
 * not here, because `e2e/node_modules` has another version of the server package.
 */
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { ROOT } from './support/place.mjs';

/** As in the real program. @type {import('rolldown').Plugin} */
const withoutValidators = {
  name: 'without-validators',
  resolveId: {
    filter: { id: /^@modelcontextprotocol\/server\/_shims$/u },
    handler: () => join(ROOT, 'src/apps/mcp/sdk-shims.ts'),
  },
};

/** Gives the path of the program. @param {string} folder where it is put */
export async function buildFixtures(folder) {
  const file = join(folder, 'fixtures.cjs');
  const input = join(ROOT, 'tests/fixtures/conformance/main.ts');
  const bundle = await rolldown({ input, platform: 'node', plugins: [withoutValidators] });
  await bundle.write({ file, format: 'cjs', codeSplitting: false });
  await bundle.close();
  return file;
}
