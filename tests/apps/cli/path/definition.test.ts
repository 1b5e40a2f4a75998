import { join } from 'node:path';
import { expect, it } from 'vitest';
import { shapeOf, verbsOf } from '../../../../src/apps/cli/definition.ts';
import { VERBS } from '../../../../src/apps/cli/path/args.ts';
import { definition } from '../../../../src/apps/cli/path/definition.ts';
import { daemonPlace, runProgram } from '../../../support/daemon.ts';
import { makeFolder } from '../../../support/folder.ts';

const PROGRAM = join(import.meta.dirname, '..', '..', '..', '..', 'dist', 'pincer.cjs');

it('what the help says about a verb is what its reader takes', () => {
  const shapes = verbsOf(definition).map(({ name }) => {
    const { positionals, flags, options } = shapeOf(definition, name);
    return [name, { positionals, flags: flags.toSorted(), options: options.toSorted() }];
  });
  const read = Object.entries(VERBS).map(([name, { positionals, flags, options }]) => [
    name,
    { positionals, flags: flags.toSorted(), options: options.toSorted() },
  ]);
  expect(shapes).toEqual(read);
});

it.each([
  ['is refused where its plugin is disabled', '{ "plugins": { "entries": { "oc-path": { "enabled": false } } } }', 1],
  ['works on a configuration that is broken, which it may be there to mend', '{ "tools": ', 0],
])('path %s', async (_, config, code) => {
  const place = daemonPlace();
  const folder = makeFolder({ 'a.json': '{"n":1}', 'pincer.jsonc': config });
  const ended = await runProgram(PROGRAM, place, ['path', 'resolve', 'oc://a.json/n', '--cwd', folder]);
  expect({ code: ended.code, refused: ended.stderr.includes('CONFIG_PLUGIN_DISABLED') }).toEqual({
    code,
    refused: code === 1,
  });
});
