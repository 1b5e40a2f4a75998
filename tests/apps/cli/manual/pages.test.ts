import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../../../src/apps/cli/commands.ts';
import type { CommandDefinition } from '../../../../src/apps/cli/definition.ts';
import { commandPage, type ManualPage } from '../../../../src/apps/cli/manual/page.ts';
import { helpTexts, manualPages } from '../../../../src/apps/cli/manual/texts.ts';
import { makeFolder } from '../../../support/folder.ts';

const has = (program: string): boolean => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;
const pages = await manualPages();

/** Everything that a page could go wrong with. */
const ODD: CommandDefinition = {
  name: 'odd',
  summary: 'strange things',
  usage: [{ line: `odd '<a>' "b" \\c`, summary: '.TH at the start' }],
  examples: [`odd '<a>'`],
  flags: [{ name: '--back\\slash', value: "<'x'>", summary: "'br at the start — and ^ ~ `" }],
  notes: ['.SH SIGNATURE', 'one\n\n.two\n  three'],
  exit: 'exit 0',
};

describe('the manual', () => {
  it('has a page for the program and one for each command', () => {
    expect(pages.map(({ file }) => file).sort()).toEqual(
      ['pincer.1', ...COMMANDS.map(({ name }) => `pincer-${name}.1`)].sort(),
    );
  });

  it.runIf(has('groff')).each(pages)('$file is set without a warning', (page) => {
    expect(groff(page, '-z')).toEqual('');
  });

  it.runIf(has('mandoc')).each(pages)('$file has no fault of style', (page) => {
    const { stdout } = spawnSync('mandoc', ['-Tlint', '-W', 'warning'], { input: page.text, encoding: 'utf8' });
    expect(stdout.split('\n').filter((line) => line !== '' && !line.includes('missing date'))).toEqual([]);
  });

  it.runIf(has('groff'))('shows every word of a help, whatever characters it has', () => {
    const page = commandPage(ODD, '1.2.3');
    const shown = groff(page, '-Tutf8', '-P-c');
    for (const text of [
      `pincer odd '<a>' "b" \\c`,
      '.TH at the start',
      "--back\\slash <'x'>",
      "'br at the start — and ^ ~ `",
      '.SH SIGNATURE',
      '  three',
      'pincer 1.2.3',
    ])
      expect(shown).toContain(text);
    expect(groff(page, '-z')).toBe('');
  });

  it('is ASCII', () => {
    for (const { text } of pages) expect(text).toMatch(/^[\n -~]*$/u);
  });
});

it('the help of every command is there for scripts', async () => {
  expect((await helpTexts()).map(({ name }) => name)).toEqual(COMMANDS.map(({ name }) => name));
});

/** What groff prints; what it says on standard error is a warning. */
function groff({ file, text }: ManualPage, ...args: readonly string[]): string {
  const path = join(makeFolder(), file);
  writeFileSync(path, text);
  const { stdout, stderr } = spawnSync('groff', ['-man', '-ww', ...args, path], { encoding: 'utf8' });
  expect(stderr).toBe('');
  // Bold letters are struck twice.
  return stdout.replaceAll(/.[\b]/gu, '');
}
