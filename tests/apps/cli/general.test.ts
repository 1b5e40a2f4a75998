import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../../src/apps/cli/commands.ts';
import { helpOf } from '../../../src/apps/cli/definition.ts';
import { runGeneral } from '../../../src/apps/cli/general.ts';
import { version } from '../../../package.json';

async function said(...argv: string[]): Promise<string> {
  let out = '';
  const output = {
    isTerminal: false,
    errorIsTerminal: false,
    quiet: false,
    colour: false,
    out: (text: string | Uint8Array) => (out += String(text)),
    err: () => {},
  };
  expect(await runGeneral(argv, output)).toBe(0);
  return out;
}

describe('the list of commands', () => {
  it.each([[[]], [['--help']], [['-h']], [['help']]])('is the answer to %j', async (argv) => {
    const list = await said(...argv);
    expect(list.split('\n').filter((line) => line.length > 80)).toEqual([]);
    for (const { name } of COMMANDS) expect(list).toMatch(new RegExp(`^  ${name} `, 'mu'));
  });

  it('comes with the version', async () => {
    expect([await said('--version'), await said('-v'), await said('version')]).toEqual(Array(3).fill(`${version}\n`));
  });
});

it.each(COMMANDS)('help $name is what $name --help says', async ({ name, load }) => {
  expect(await said('help', name)).toBe(helpOf(await load()));
});

it.each([
  [['exce'], 'unknown command "exce"; did you mean exec'],
  [['help', 'aprovals'], 'unknown command "aprovals"; did you mean approvals'],
  [['constructor'], 'unknown command "constructor"'],
  [['--workspace'], 'unknown command "--workspace"'],
])('%j is refused', async (argv, message) => {
  await expect(said(...argv)).rejects.toMatchObject({ code: 'USAGE_UNKNOWN_COMMAND', message });
});
