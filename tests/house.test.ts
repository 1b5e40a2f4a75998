import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import picomatch from 'picomatch';
import { describe, expect, it } from 'vitest';
import { missingEntries } from '../scripts/complete-lock.mjs';
import { LONGEST, MACHINE, NOT_PURE, PURE } from '../scripts/suites.mjs';
import { FILES_THAT_START_PROGRAMS, startsIn } from './house/programs.ts';
import { EMPTY_NAMES, isWithin, LONG_FILES, MOST_FILES, READERS_OF_ENVIRONMENT, ROOMS, roomOf } from './house/rooms.ts';
import { ALLOWED, avoidedWords, filesWith, glossaryWords, wordPattern } from './house/glossary.ts';
import { filesBelow, readSource, readSources, readText, root } from './house/sources.ts';
import { FILES_WITH_TIMERS, SHORT_SLEEPS, waitsIn } from './house/waits.ts';
import { brokenWalls, folderRings, importRings, packagesAtStart } from './house/walls.ts';

const sources = readSources();
const documents = ['README.md', 'AGENTS.md', 'CHANGELOG.md', ...filesBelow('docs')].filter((file) =>
  file.endsWith('.md'),
);
const written = ['src', 'tests', 'docs', 'scripts', 'bench', 'examples'].filter((folder) =>
  existsSync(join(root, folder)),
);

describe('the walls of the house', () => {
  it('lets every room import only what its table allows', () => {
    expect(brokenWalls(sources)).toEqual([]);
  });

  it('has no ring of imports', () => {
    expect(importRings(sources)).toEqual([]);
  });

  it('has no folder with too many files', () => {
    const files = new Map<string, number>();
    for (const { path } of sources) files.set(dirname(path), (files.get(dirname(path)) ?? 0) + 1);
    expect([...files].filter(([, count]) => count > MOST_FILES)).toEqual([]);
  });

  it('has no ring of imports between folders', () => {
    expect(folderRings(sources)).toEqual([]);
  });

  it('loads no npm package when the program starts', () => {
    expect(sources.map(({ path }) => path)).toContain('apps/cli/main.ts');
    const loaded = packagesAtStart(sources, 'apps/cli/main.ts');
    expect(loaded, 'start-up is a feature: load it with import() by the room that needs it').toEqual([]);
  });

  it('reads the environment only where the table says', () => {
    const readers = sources
      .filter(({ path }) => !READERS_OF_ENVIRONMENT.some((room) => isWithin(path, room)))
      .filter(({ path }) => /\bprocess\s*\.\s*env\b|\bhomedir\s*\(/u.test(readText(`src/${path}`)))
      .map(({ path }) => `${path} reads the environment: config is its only reader below the apps.`);
    expect(readers).toEqual([]);
  });
});

describe('commands that a reader pastes', () => {
  it('have no comment behind them: on the interactive line of zsh # begins none', () => {
    const examples = filesBelow('examples').filter((file) => file.endsWith('.md'));
    const blocks = [...documents, ...examples].flatMap((file) =>
      [...readText(file).matchAll(/^```sh\n(.*?)^```$/gmsu)].flatMap(([, block = '']) =>
        block.split('\n').map((line) => `${file}: ${line}`),
      ),
    );
    expect(blocks.length).toBeGreaterThan(10);
    const shown = sources.flatMap(({ path }) =>
      (readText(`src/${path}`).match(/['"`]pincer [^\n'"`]* # [^\n]*/gu) ?? []).map((text) => `${path}: ${text}`),
    );
    expect([...blocks.filter((line) => /\S\s+# /u.test(line)), ...shown]).toEqual([]);
  });
});

describe('paths', () => {
  it('are compared with folders by base/inside.ts and hosts/relative-inside.ts only', () => {
    const compares =
      /startsWith\([^()]*(?:\/`|\+ '\/'|\+ sep|\$\{sep\}`)\)|startsWith\(['`]\.\.(?:\/|\$\{sep\})?['`]\)/u;
    const others = sources.filter(({ path }) => compares.test(readText(`src/${path}`))).map(({ path }) => path);
    expect(others).toEqual(['hosts/relative-inside.ts']);
  });
});

describe('the table of rooms itself', () => {
  const importing = (path: string, target: string, how = `import '${target}';`) => readSource(path, how);

  it.each([
    ['a pure room that touches the machine', 'text/lines/a.ts', 'node:fs'],
    ['a lazy import through a wall', 'text/path/a.ts', '../../hosts/files/read.ts'],
    ['a tool that sees an implementation', 'tools/a.ts', '../hosts/files/read.ts'],
    ['one kind that knows another', 'text/kinds/yaml/a.ts', '../jsonc/jsonc.ts'],
    ['yaml outside of its room', 'apps/cli/a.ts', 'yaml'],
    ['a sub-path of a package outside of its room', 'text/path/a.ts', 'yaml/util'],
    ['a room that no one has described', 'garage/a.ts', 'node:fs'],
  ])('refuses %s', (_, path, target) => {
    expect(brokenWalls([importing(path, target)])).toHaveLength(1);
    const lazily = importing(path, target, `export const later = () => import('${target}');`);
    expect(brokenWalls([lazily])).toHaveLength(1);
  });

  it.each([
    ['the shape of a host to a tool', 'tools/a.ts', '../hosts/files/shape.ts'],
    ['a neighbour in the same room', 'text/kinds/yaml/a.ts', './b.ts'],
    ['the machine to a host', 'hosts/files/a.ts', 'node:fs'],
    ['globs to a host', 'hosts/files/a.ts', 'picomatch'],
  ])('gives %s', (_, path, target) => {
    expect(brokenWalls([importing(path, target)])).toEqual([]);
  });

  it('finds a ring, also one of types', () => {
    const a = readSource('base/a.ts', "import type { B } from './b.ts'; export type A = B;");
    const b = readSource('base/b.ts', "export { type A } from './a.ts';");
    expect(importRings([a, b])).toEqual(['base/a.ts -> base/b.ts -> base/a.ts']);
  });

  it('finds the packages that a start loads, but not lazy ones and types', () => {
    const text = "import './b.ts'; import type { X } from 'wire'; export const later = () => import('yaml');";
    const b = readSource('apps/b.ts', "import { diffLines } from 'diff';");
    expect(packagesAtStart([readSource('apps/a.ts', text), b], 'apps/a.ts')).toEqual(['diff']);
  });

  it('names every room of docs/architecture.md', () => {
    const text = readText('docs/architecture.md');
    const floors = [...new Set(ROOMS.map((room) => room.name.split('/')[0]))];
    expect(floors.filter((floor) => !text.includes(`\`${floor}`))).toEqual([]);
  });
});

describe('names and sizes', () => {
  it('has no file or folder whose name says nothing', () => {
    const empty = written
      .flatMap((folder) => filesBelow(folder))
      .filter((file) => file.split('/').some((part) => EMPTY_NAMES.includes(part.split('.')[0] ?? '')));
    expect(empty).toEqual([]);
  });

  it('has no source over 400 lines that is not excused', () => {
    const long = sources.filter(({ path, lines }) => lines > 400 && !(path in LONG_FILES));
    expect(long.map(({ path, lines }) => `${path} has ${lines} lines: does it want a wall?`)).toEqual([]);
  });

  it('excuses only files that exist and are long', () => {
    const needless = Object.keys(LONG_FILES).filter(
      (path) => (sources.find((s) => s.path === path)?.lines ?? 0) <= 400,
    );
    expect(needless).toEqual([]);
  });

  it('keeps AGENTS.md within 80 lines', () => {
    expect(readText('AGENTS.md').split('\n').length - 1).toBeLessThanOrEqual(80);
  });
});

describe('test files', () => {
  const tests = filesBelow('tests').filter((file) => file.endsWith('.test.ts'));

  it('run in exactly one project', () => {
    const isPure = (file: string) => picomatch.isMatch(file, PURE, { ignore: NOT_PURE });
    const isMachine = picomatch(MACHINE);
    expect(tests.filter((file) => isPure(file) === isMachine(file))).toEqual([]);
  });

  it('are found in every folder that starts first', () => {
    expect(LONGEST.filter((folder) => !tests.some((file) => file.startsWith(`${folder}/`)))).toEqual([]);
  });
});

describe('starting programs', () => {
  const starts = new Map(sources.map(({ path }) => [path, startsIn(path, readText(`src/${path}`))]));

  it('B6: names no program without its path, and starts no shell to look one up', () => {
    const bare = [...starts].flatMap(([path, found]) => found.bare.map((name) => `${path} starts ${name}`));
    expect(bare, 'use hosts/process/programs/system-program.ts for helpers of the system').toEqual([]);
  });

  it('is done only by the sources of the table', () => {
    const starters = [...starts].filter(([, { imports }]) => imports).map(([path]) => path);
    expect(starters.sort()).toEqual(Object.keys(FILES_THAT_START_PROGRAMS).sort());
  });

  it.each([
    ['a helper', "spawnSync('cp', []);"],
    ['a helper of an object', "child.execFile('sync', []);"],
    ['a helper by a promise', "await promisify(execFile)('mkfifo', []);"],
    ['a relative path', "spawn('./tool', []);"],
    ['a name with a part that is computed', 'spawn(`cp\u0024{suffix}`, []);'],
    ['a shell', "import { exec } from 'node:child_process';"],
    ['a shell that is taken later', "const { execSync } = process.getBuiltinModule('node:child_process');"],
  ])('refuses %s', (_, code) => {
    expect(startsIn('a.ts', code).bare).not.toEqual([]);
  });

  it.each([
    ['an absolute path', "spawn('/usr/bin/cp', []);"],
    ['a path that is known when it runs', 'spawn(program, []);'],
    ['another exec', '/a/u.exec(text);'],
  ])('allows %s', (_, code) => {
    expect(startsIn('a.ts', code).bare).toEqual([]);
  });
});

describe('waiting in tests', () => {
  const files = [...filesBelow('tests').filter((file) => /\.m?ts$|\.mjs$/u.test(file)), 'vitest.config.ts'];
  const waits = new Map(files.map((file) => [file, waitsIn(file, readText(file))]));

  it('is for events and conditions: no test sleeps, and none is tried again', () => {
    const sleepers = files
      .filter((file) => !(file in FILES_WITH_TIMERS) && waits.get(file)!.timers.length > 0)
      .map((file) => `${file} uses ${waits.get(file)!.timers.join(', ')}: wait through tests/support/patience.ts`);
    expect(sleepers).toEqual([]);
  });

  it('is not done by a command that sleeps for a moment', () => {
    const sleepers = files
      .filter((file) => !file.startsWith('tests/policy/') && !(file in SHORT_SLEEPS))
      .filter((file) => waits.get(file)!.shortSleeps.length > 0)
      .map((file) => `${file} runs ${waits.get(file)!.shortSleeps.join(', ')}: use UNTIL_GO or a condition`);
    expect(sleepers).toEqual([]);
  });

  it('has only exceptions that are needed', () => {
    const needless = [
      ...Object.keys(FILES_WITH_TIMERS).filter((file) => (waits.get(file)?.timers.length ?? 0) === 0),
      ...Object.keys(SHORT_SLEEPS).filter((file) => (waits.get(file)?.shortSleeps.length ?? 0) === 0),
    ];
    expect(needless).toEqual([]);
  });

  it.each([
    ['a timer', 'await new Promise((done) => setTimeout(done, 5));'],
    ['a timer of an object', 'globalThis.setInterval(work, 5);'],
    ['a timer under another name', "import { setTimeout as pause } from 'node:timers/promises';"],
    ['a timer that is loaded later', "const { scheduler } = await import('timers/promises');"],
    ['a function that sleeps', 'await sleep(5);'],
    ['a thread that sleeps', 'Atomics.wait(cell, 0, 0, 5);'],
    ['a signal after a time', 'run(AbortSignal.timeout(5));'],
    ['a test that is tried again', "it('works', { retry: 2 }, () => {});"],
  ])('refuses %s', (_, code) => {
    expect(waitsIn('tests/a.test.ts', code).timers).not.toEqual([]);
  });

  it.each([
    ['sleep 0.3; echo done', 1],
    ['echo one; sleep 1', 1],
    ['until [ -e go ]; do sleep 0.05; done', 0],
    ['exec sleep 600', 0],
  ])('sees in the command "%s" so many short sleeps: %i', (command, count) => {
    expect(waitsIn('tests/a.test.ts', `run('${command}');`).shortSleeps).toHaveLength(count);
  });
});

describe('documents', () => {
  const unionOf = (file: string, type: string) =>
    [...(readText(file).split(`type ${type} =`)[1] ?? '').split(';')[0]!.matchAll(/'([\w-]+)'/gu)].map(
      ([, name]) => name!,
    );
  const codes = unionOf('src/base/fault.ts', 'FaultCode');
  const areas = new RegExp(
    `^(?:${[...new Set(codes.map((code) => code.split('_')[0]))].join('|')})_[A-Z][A-Z0-9_]*$`,
    'u',
  );

  it('give every code of FaultCode exactly one row in docs/errors.md, and no row to anything else', () => {
    const rows = [...readText('docs/errors.md').matchAll(/^\| `([A-Z][A-Z0-9_]*)` \|/gmu)].map(([, code = '']) => code);
    expect(rows.sort((a, b) => (a < b ? -1 : 1))).toEqual(codes);
  });

  it('have a row for no code that the sources do not use, and the sources use no other', () => {
    const used = sources.filter(({ path }) => path !== 'base/fault.ts').flatMap(({ strings }) => strings);
    expect([...new Set(used.filter((text) => areas.test(text)))].sort()).toEqual(codes);
  });

  it('gives every reason of a refusal a row in docs/errors.md', () => {
    const reasons = unionOf('src/text/kind.ts', 'RefusalReason');
    expect(reasons.length).toBeGreaterThan(0);
    expect(reasons.filter((reason) => !readText('docs/errors.md').includes(`| \`${reason}\` |`))).toEqual([]);
  });

  it('links only to files that exist', () => {
    const lost = documents.flatMap((file) =>
      [...readText(file).matchAll(/\]\((?!https?:|#)([^)#\s]+)/gu)]
        .filter(([, link]) => !existsSync(join(root, dirname(file), link ?? '')))
        .map(([, link]) => `${file} links to ${link}`),
    );
    expect(lost).toEqual([]);
  });

  it('names only sources that exist', () => {
    const all = ['src', 'tests', 'scripts', 'bench', 'e2e', 'examples'].flatMap((folder) => filesBelow(folder));
    const exists = (name: string): boolean => all.some((file) => file === name || file.endsWith(`/${name}`));
    const guides = documents.filter((file) => file === 'docs/architecture.md' || file.startsWith('docs/decisions/'));
    const named = guides.flatMap((file) =>
      [...readText(file).matchAll(/`([\w./-]+\.ts)`/gu)].map(([, name]) => ({ file, name: name! })),
    );
    expect(named.length).toBeGreaterThan(50);
    expect(named.filter(({ name }) => !exists(name))).toEqual([]);
  });

  it('has no line over 140 characters outside of tables, code and links', () => {
    const isProse = (line: string) => !/^\||^(?:`[^`]*` ?)+$|^\S*\[[^\]]+\]\([^)]+\)\S*$/u.test(line.trim());
    const long = documents
      .filter((file) => file !== 'CHANGELOG.md' && !file.startsWith('docs/agents/')) // agents: recorded runs
      .flatMap((file) =>
        readText(file)
          .replaceAll(/^```[\s\S]*?^```/gmu, (code) => code.replaceAll(/[^\n]/gu, ''))
          .split('\n')
          .flatMap((line, i) => (line.length > 140 && isProse(line) ? [`${file}:${i + 1}`] : [])),
      );
    expect(long).toEqual([]);
  });

  it('names only npm scripts that exist', () => {
    const scripts = Object.keys(JSON.parse(readText('package.json')).scripts);
    const named = documents.flatMap((file) => [...readText(file).matchAll(/\bnpm (?:run )?([a-z][\w:-]*)/gu)]);
    const own = named.filter(([whole, name]) => whole.startsWith('npm run ') || name === 'start' || name === 'test');
    expect(own.map(([, name]) => name).filter((name) => !scripts.includes(name ?? ''))).toEqual([]);
  });
});

describe('the glossary', () => {
  const words = glossaryWords();

  it('has only words that the sources use', () => {
    const text = sources.map(({ path }) => readText(`src/${path}`)).join('\n');
    expect(words.length).toBeGreaterThan(50);
    expect(words.filter((word) => !wordPattern(word).test(text))).toEqual([]);
  });

  it('defines each word once', () => {
    expect(words.filter((word, at) => words.indexOf(word) !== at)).toEqual([]);
  });

  it.each(avoidedWords().map((avoided) => [avoided.word, avoided] as const))(
    'rules out the word %s, except in the files of the list',
    (word, avoided) => {
      expect(filesWith(avoided)).toEqual(Object.keys(ALLOWED[word] ?? {}).sort());
    },
  );
});

describe('tests', () => {
  const tests = filesBelow('tests').filter((file) => file.endsWith('.ts'));
  const filesWith = (pattern: RegExp): string[] => tests.filter((file) => pattern.test(readText(file)));

  it('import fast-check from tests/support/property.ts, which knows the tier', () => {
    expect(filesWith(/\bfrom 'fast-check'/u)).toEqual(['tests/support/property.ts']);
  });

  it('take the number of runs of a property from the tier: runs(100), not 100', () => {
    expect(filesWith(/\bnumRuns:\s*[\d.]/u)).toEqual([]);
  });

  it("generate any character with anyCharacter: unit 'binary' takes a second and 130 MB to start", () => {
    expect(filesWith(/\bunit: 'binary'/u)).toEqual([]);
  });

  it('read the tier and the seed only in tests/support/budget.ts', () => {
    expect(filesWith(/process\.env\b[^;]*PINCER_TEST_(?:TIER|SEED)/u)).toEqual(['tests/support/budget.ts']);
  });
});

describe('the package', () => {
  it('has a lock file without download addresses', () => {
    expect(readText('package-lock.json')).not.toMatch(/"resolved"\s*:|https?:\/\/registry/u);
  });

  it('has a lock file that names the optional packages of every platform, or npm ci would refuse it', () => {
    const missing = missingEntries(JSON.parse(readText('package-lock.json')));
    expect(Object.keys(missing), 'node scripts/complete-lock.mjs').toEqual([]);
  });

  it('runs no install script of any package', () => {
    const { packages } = JSON.parse(readText('package-lock.json'));
    const running = Object.keys(packages).filter((path) => packages[path].hasInstallScript && !packages[path].optional);
    expect(running).toEqual([]);
  });

  it('puts every file of src in a room', () => {
    expect(sources.filter(({ path }) => roomOf(path) === undefined)).toEqual([]);
  });
});
