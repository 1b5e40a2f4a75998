// @ts-check
/**
 * Builds `dist/`: the program as CommonJS with one chunk per lazy import (`require` starts faster than the ESM loader),
 * and the library's doors as ESM with their types.
 */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, 'dist');

/** The library's doors: the file in `dist/lib` and its source. */
const DOORS = { index: 'src/index.ts', address: 'src/text/address/index.ts', path: 'src/text/path/index.ts' };

/** @param {string} script @param {string[]} args */
function node(script, ...args) {
  const result = spawnSync(process.execPath, [script, ...args], { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
  if (result.status !== 0) throw new Error(`${relative(root, script)} failed with exit code ${result.status}.`);
}

/** Stands for the YAML package in the program until the file names of the output are known. */
const YAML_CHUNK = 'pincer:yaml';

/**
 * The YAML package in a chunk of its own, required at the first text that needs it: most documents never do, and a
 * kind is read synchronously, so that `import()` cannot be used.
 * @type {import('rolldown').Plugin}
 */
const yamlOnDemand = {
  name: 'yaml-on-demand',
  load: {
    filter: { id: /src[\\/]text[\\/]kinds[\\/]yaml[\\/]library\.ts$/u },
    handler: () => `export const loadYamlLibrary = () => require(${JSON.stringify(YAML_CHUNK)});`,
  },
  renderChunk(code) {
    return { code: code.replaceAll(YAML_CHUNK, './yaml-library.cjs'), map: null };
  },
};

/** @type {import('rolldown').OutputOptions} */
const PROGRAM_OUTPUT = { format: 'cjs', minify: true, comments: false, dynamicImportInCjs: false };

/** @typedef {import('rolldown').OutputChunk | import('rolldown').OutputAsset} Output */

/** Builds the program and gives the folders of the npm packages that went into it. @param {string} out */
async function buildProgram(out) {
  const program = await rolldown({
    cwd: root,
    input: { main: 'src/apps/cli/main.ts' },
    platform: 'node',
    external: [YAML_CHUNK],
    plugins: [yamlOnDemand],
    onLog: refuseWarnings,
  });
  const main = await program.write({
    ...PROGRAM_OUTPUT,
    dir: join(out, 'chunks'),
    codeSplitting: { groups: [{ name: 'start', tags: ['$initial'] }] }, // one file to start from: each costs half a millisecond
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name].cjs',
  });
  await program.close();
  const launcher = await rolldown({
    cwd: root,
    input: { pincer: 'src/apps/cli/launch.ts' },
    platform: 'node',
    onLog: refuseWarnings,
  });
  await launcher.write({ ...PROGRAM_OUTPUT, dir: out, entryFileNames: '[name].cjs' });
  await launcher.close();
  const yaml = await rolldown({
    cwd: root,
    input: { 'yaml-library': 'src/text/kinds/yaml/library.ts' },
    platform: 'node',
    resolve: { conditionNames: ['import', 'default'] }, // its browser build is ES modules, which can be shaken
    plugins: [{ name: 'names', transform: { filter: { id: /library\.ts$/u }, handler: exportNamesOnly } }],
    onLog: refuseWarnings,
  });
  const chunk = await yaml.write({ ...PROGRAM_OUTPUT, dir: join(out, 'chunks'), entryFileNames: '[name].cjs' });
  await yaml.close();
  makeExecutable(join(out, 'pincer.cjs'));
  toAscii(join(out, 'chunks'));
  compileChunks(out);
  return packagesIn([...main.output, ...chunk.output]);
}

/** The launcher reads chunks byte for character, which is fastest: other characters are written as escapes. @param {string} folder */
function toAscii(folder) {
  for (const name of readdirSync(folder)) {
    const code = readFileSync(join(folder, name), 'utf8');
    const escaped = code.replace(/[^\0-\x7f]/gu, (char) =>
      Array.from({ length: char.length }, (_, i) => `\\u${char.charCodeAt(i).toString(16).padStart(4, '0')}`).join(''),
    );
    writeFileSync(join(folder, name), escaped);
  }
}

/** Keeps what V8 compiles when the program reads small files of every kind. @param {string} out */
function compileChunks(out) {
  const workspace = mkdtempSync(join(tmpdir(), 'pincer-build-'));
  try {
    writeFileSync(join(workspace, 'a.jsonc'), '// c\n{"a": {"b": [1, true, null, "x\\n"]}, "c": 1.5}\n');
    writeFileSync(join(workspace, 'a.jsonl'), '{"a":"b","n":[1]}\n{"a":"c"}\n');
    writeFileSync(join(workspace, 'a.yaml'), 'name: a # c\nsteps:\n  - id: "b"\n    env: {x: 1}\n  - id: c\n');
    writeFileSync(
      join(workspace, 'a.md'),
      '---\nname: a\n---\n\n# T\n\n## Tools\n\nText.\n\n- gh: CLI\n  - risk: low\n- b\n\n```sh\nx\n```\n\n## End\n',
    );
    const addresses = [
      'a.jsonc/a/b/0',
      'a.jsonl/L1/a',
      'a.yaml/steps/0/id',
      'a.md/tools/gh/risk',
      'a.md/[frontmatter]/name',
    ];
    const lines = addresses.flatMap((address) => [
      JSON.stringify(['resolve', `oc://${address}`]),
      JSON.stringify(['resolve', `oc://${address}`, '--human']),
    ]);
    const ran = spawnSync(process.execPath, [join(root, 'scripts', 'compile-chunks.cjs'), out], {
      cwd: workspace,
      input: `${lines.join('\n')}\n`,
      encoding: 'utf8',
      env: { HOME: workspace },
    });
    const answers = ran.stdout.split('\n').filter((line) => line.startsWith('{"code":0'));
    if (ran.status !== 0 || answers.length !== lines.length)
      throw new Error(`The built program does not answer: ${ran.stderr}${ran.stdout}`);
  } finally {
    rmSync(workspace, { recursive: true, force: true });
  }
}

/** The chunk is required for the package's names themselves, not for the function that gives them. @param {string} code */
function exportNamesOnly(code) {
  const names = /import \{([^}]*)\} from 'yaml'/u.exec(code)?.[1];
  if (names === undefined) throw new Error('src/text/kinds/yaml/library.ts must import its names from yaml.');
  return { code: `export {${names}} from 'yaml';`, map: null };
}

/** The folders of the npm packages in an output, which may start no ESM loader. @param {Output[]} output */
function packagesIn(output) {
  /** @type {Set<string>} */
  const packages = new Set();
  for (const chunk of output) {
    if (chunk.type !== 'chunk') continue;
    if (/\bimport\s*\(/u.test(chunk.code)) {
      throw new Error(`${chunk.fileName} still has an import(): it would start the ESM loader.`);
    }
    for (const id of chunk.moduleIds) {
      const folder = /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/u.exec(id)?.[0];
      if (folder !== undefined) packages.add(folder);
    }
  }
  return packages;
}

/** @param {string} program */
function makeExecutable(program) {
  const code = readFileSync(program, 'utf8');
  if (!code.startsWith('#!')) writeFileSync(program, `#!/usr/bin/env node\n${code}`);
  chmodSync(program, 0o755);
}

/** @param {string} out */
async function buildLibrary(out) {
  const bundle = await rolldown({
    cwd: root,
    input: DOORS,
    platform: 'neutral',
    external: ['yaml'],
    // A kind that one door loads lazily may be loaded at once by another: that matters for the program only.
    onLog: (level, log) => log.code === 'INEFFECTIVE_DYNAMIC_IMPORT' || refuseWarnings(level, log),
  });
  await bundle.write({
    dir: join(out, 'lib'),
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
  });
  await bundle.close();
  node(
    join(root, 'node_modules', 'typescript', 'bin', 'tsc'),
    '-p',
    'tsconfig.build.json',
    '--outDir',
    join(out, 'types'),
  );
}

/** @param {string} level @param {{ message: string }} log */
function refuseWarnings(level, log) {
  if (level === 'warn') throw new Error(log.message);
}

/** The licences of the packages inside the program: most ask for their text to be carried along. @param {Set<string>} folders */
function notices(folders) {
  const parts = [...folders].sort().map((folder) => {
    const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/iu.test(entry));
    if (file === undefined) throw new Error(`${relative(root, folder).split(sep).join('/')} has no licence file.`);
    return `${name} ${version}\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
  });
  return parts.join(`\n${'-'.repeat(80)}\n\n`);
}

/** Builds beside `dist/` and swaps at the end: a failed build leaves the old program whole. */
async function build() {
  const scanner = join(root, 'scripts', 'build-scan.mjs');
  if (existsSync(scanner)) node(scanner);
  const fresh = join(root, `.dist-${process.pid}`);
  const old = join(root, `.dist-old-${process.pid}`);
  try {
    mkdirSync(fresh);
    const packages = await buildProgram(fresh);
    await buildLibrary(fresh);
    writeFileSync(join(fresh, 'THIRD-PARTY.txt'), notices(packages));
    if (existsSync(dist)) renameSync(dist, old);
    renameSync(fresh, dist);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
    rmSync(old, { recursive: true, force: true });
  }
}

await build();
