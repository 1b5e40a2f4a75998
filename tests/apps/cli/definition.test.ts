import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../../src/apps/cli/commands.ts';
import {
  type CommandDefinition,
  flagsOf,
  helpOf,
  shapeOf,
  unknownVerb,
  verbsOf,
} from '../../../src/apps/cli/definition.ts';
import { readExecArguments } from '../../../src/apps/cli/exec/args.ts';
import { readArgs } from '../../../src/apps/cli/path/args.ts';
import { RUNNERS } from '../../../src/apps/cli/runners.ts';
import { HOOK_CLIENTS } from '../../../src/apps/hook/clients.ts';
import { CLIENTS } from '../../../src/apps/init/clients.ts';
import { PRESETS } from '../../../src/apps/mcp/presets/names.ts';
import { POSTURES } from '../../../src/apps/posture-choice.ts';
import { readArguments } from '../../../src/apps/cli/arguments.ts';
import { wrapped } from '../../../src/apps/terminal/wrapped.ts';
import { faultOf } from '../../support/fault.ts';
import { fc } from '../../support/property.ts';

const FERRY: CommandDefinition = {
  name: 'ferry',
  summary: 'carry things across',
  usage: [
    { line: 'ferry load <thing>…', summary: 'take things on board' },
    { line: 'ferry cross', summary: '' },
  ],
  examples: ['ferry cross --slow', 'ferry load sheep'],
  positionals: ['verb', '[thing…]'],
  verbs: [{ name: 'load', positionals: ['thing…'] }, { name: 'cross', positionals: [] }, 'deck clean'],
  flags: [
    { name: '--boat', short: '-b', value: '<name>', summary: 'which boat', mayBeEmpty: true },
    { name: '--weather', value: '<fair>', values: ['fair'], summary: 'which weather' },
    { name: '--slow', summary: 'with care', verbs: ['cross'] },
    { name: '--json', summary: 'the form' },
    { name: '--human', summary: 'the form' },
    { name: '--old-name', summary: 'an old name', hidden: true },
  ],
  notes: ['A river has two sides, and a ferry that is on the one is never on the other.', 'as\n  it stands'],
  exit: 'the code of the crew; 0 across; 1 sunk',
};

describe('the help of a command', () => {
  it('lists usages, options, notes, examples and exit codes', () => {
    expect(helpOf(FERRY, 60)).toBe(`pincer ferry: carry things across

Usage
  pincer ferry load <thing>…  take things on board
  pincer ferry cross

Options
  -b, --boat <name>  which boat
  --weather fair     which weather
  --slow             cross: with care
  --json, --human    the form

  A river has two sides, and a ferry that is on the one is
  never on the other.

  as
    it stands

Examples
  pincer ferry cross --slow
  pincer ferry load sheep

Exit codes
  the code of the crew
  0     across
  1     sunk
`);
  });

  it('puts the text below an overlong label', () => {
    const line = `ferry ${'x'.repeat(50)}`;
    expect(
      helpOf({ ...FERRY, usage: [{ line, summary: 'far' }], flags: [], notes: [], examples: ['ferry cross'] }, 80),
    ).toBe(
      `pincer ferry: carry things across\n\nUsage\n  pincer ${line}\n${' '.repeat(22)}far\n\nExamples\n  pincer ferry cross\n\nExit codes\n  the code of the crew\n  0     across\n  1     sunk\n`,
    );
  });

  it('keeps all words when it wraps, and respects the width if words allow it', () => {
    fc.assert(
      fc.property(
        fc.array(fc.stringMatching(/^[a-z]{1,30}$/u), { minLength: 1 }),
        fc.integer({ min: 1, max: 60 }),
        (words, width) => {
          const lines = wrapped(words.join(' '), width);
          expect(lines.join(' ').split(' ')).toEqual(words);
          for (const line of lines) expect(line.length <= width || !line.includes(' ')).toBe(true);
        },
      ),
    );
  });
});

describe('the shape of a command', () => {
  it('comes from its definition', () => {
    expect(shapeOf(FERRY)).toEqual({
      command: 'ferry',
      positionals: ['verb', '[thing…]'],
      flags: ['--slow', '--json', '--human', '--old-name', '--quiet'],
      options: ['--boat', '--weather'],
      mayBeEmpty: ['--boat'],
      short: { '-b': '--boat', '-q': '--quiet' },
      help: 'pincer ferry --help',
    });
  });

  it('is narrower for a verb', () => {
    expect(shapeOf(FERRY, 'load')).toMatchObject({
      command: 'ferry load',
      positionals: ['thing…'],
      flags: ['--json', '--human', '--old-name', '--quiet'],
    });
  });

  it.each([
    [['a', 'b', 'c'], { positionals: ['a', 'b', 'c'] }],
    [['a', '-b', 'x'], { options: { boat: 'x' } }],
    [['a', '--boat='], { options: { boat: '' } }],
  ])('reads %j', (argv, read) => {
    expect(readArguments(shapeOf(FERRY, 'load'), argv)).toMatchObject(read);
  });

  it.each([
    [[], 'ferry load: the argument <thing> is missing'],
    [['a', '-b'], 'ferry load: -b needs a value'],
    [['a', '-b', 'x', '--boat', 'y'], 'ferry load: --boat is given twice'],
    [['a', '--slow'], 'ferry load: unknown option --slow'],
    [['a', '--bota', 'x'], 'ferry load: unknown option --bota; did you mean --boat'],
  ])('refuses %j', (argv, message) => {
    expect(faultOf(() => readArguments(shapeOf(FERRY, 'load'), argv))).toEqual({
      code: 'USAGE_ARGUMENTS',
      message,
      hint: 'see pincer ferry --help',
    });
  });

  it('accepts any number of arguments if none are named', () => {
    const { positionals, ...any } = FERRY;
    expect(positionals).toHaveLength(2);
    expect(readArguments(shapeOf(any), ['a', 'b', 'c', 'd']).positionals).toHaveLength(4);
  });
});

it('suggests the nearest verb and lists them all', () => {
  expect(unknownVerb(FERRY, 'laod')).toMatchObject({
    code: 'USAGE_ARGUMENTS',
    message: 'ferry: unknown verb "laod"; did you mean load',
    hint: 'verbs: load, cross, deck; see pincer ferry --help',
  });
});

/** Splits a command line with quotes, without redirections. */
function splitCommandLine(line: string): readonly string[] {
  const words: readonly string[] = line.match(/(?:'[^']*'|[^\s'])+/gu) ?? [];
  const end = words.indexOf('<');
  return (end < 0 ? words : words.slice(0, end)).map((word) => word.replaceAll("'", ''));
}

/** Throws where the command itself would refuse the arguments. */
function readExample(definition: CommandDefinition, argv: readonly string[]): void {
  if (definition.name === 'exec') readExecArguments(argv);
  else if (definition.name === 'path') readArgs(argv[0]!, argv.slice(1));
  else {
    const verb = verbsOf(definition).find((one) => `${argv.join(' ')} `.startsWith(`${one.name} `))?.name;
    // A command whose own arguments are declared also works without a verb.
    if (verbsOf(definition).length > 0 && definition.positionals?.length !== 0) expect(verb).toBeDefined();
    readArguments(shapeOf(definition, verb), verb === undefined ? argv : argv.slice(verb.split(' ').length));
  }
}

describe('the table of commands', () => {
  it('names every command that can be run, once', () => {
    expect(COMMANDS.map(({ name }) => name).sort()).toEqual(Object.keys(RUNNERS).sort());
  });

  it.each(COMMANDS)('defines $name completely', async ({ name, load }) => {
    const definition = await load();
    expect(definition.name).toBe(name);
    expect(definition.summary).toMatch(/^(?:[a-z]|HTTP|MCP).*[^.]$/su);
    expect(definition.usage.length).toBeGreaterThan(0);
    for (const { line } of definition.usage) expect(line.split(' ')[0]).toMatch(/^[a-z]+$/u);
    const names = definition.flags.map((flag) => flag.name);
    expect(names).toEqual([...new Set(names)]);
    const verbs = verbsOf(definition).map((verb) => verb.name);
    for (const flag of definition.flags) expect(verbs).toEqual(expect.arrayContaining([...(flag.verbs ?? [])]));
    for (const verb of verbs) expect(flagsOf(definition, verb).length).toBeLessThanOrEqual(definition.flags.length);
  });

  it.each(COMMANDS)('B24: shows examples of $name that its arguments allow', async ({ name, load }) => {
    const definition = await load();
    expect(helpOf(definition)).toMatch(/^Examples\n {2}pincer /mu);
    for (const example of definition.examples) {
      const [first, ...argv] = splitCommandLine(example);
      expect(first).toBe(name);
      readExample(definition, argv);
    }
  });

  it.each(COMMANDS)('B24: $name takes -q', async ({ load }) => {
    const definition = await load();
    for (const verb of [undefined, ...verbsOf(definition).map(({ name }) => name)])
      expect(shapeOf(definition, verb)).toMatchObject({ short: { '-q': '--quiet' } });
  });

  it.each(COMMANDS)('wraps the help of $name at the width', async ({ load }) => {
    const definition = await load();
    const notes = (definition.notes ?? []).filter((note) => !note.includes('\n')); // others stand as they are
    const lines = helpOf({ ...definition, notes }, 100).split('\n');
    expect(lines.filter((line) => line.length > 120)).toEqual([]);
    expect(lines[0]).toMatch(/^pincer [a-z]+: \S/u);
  });

  it('lists all clients, postures and presets', async () => {
    const definitionOf = (name: string) => COMMANDS.find((command) => command.name === name)!.load();
    const [hook, init, mcp, serve] = await Promise.all(['hook', 'init', 'mcp', 'serve'].map(definitionOf));
    const valuesOfFlag = ({ flags }: CommandDefinition, name: string) =>
      flags.find((flag) => flag.name === name)?.values;
    const hooked = CLIENTS.filter((client) => client.hooks !== undefined).map((client) => client.name);
    expect(Object.keys(HOOK_CLIENTS)).toEqual(hooked);
    expect(hook!.usage.map(({ line }) => line)).toEqual(hooked.map((name) => `hook ${name}`));
    expect(init!.flags.find((flag) => flag.name === '--hook')!.summary).toContain(`(${hooked.join(', ')})`);
    expect(init!.completes).toEqual(CLIENTS.map((client) => client.name));
    expect(valuesOfFlag(init!, '--posture')).toEqual(POSTURES);
    for (const one of [init!, mcp!, serve!]) expect(valuesOfFlag(one, '--preset')).toEqual(PRESETS);
  });
});
