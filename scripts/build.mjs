// @ts-check
/**
 * Builds `dist/`: the program as CommonJS with one chunk per lazy import (`require` starts faster than the ESM loader),
 * and the library's doors as ESM with their types.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
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
import { buildPage } from './build-page.mjs';
import { chunkPattern, CHUNKS } from './chunks.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
/** As src/apps/cli/launch.ts reads it. */
const HASH_LENGTH = 32;
const dist = join(root, 'dist');

/** The library's doors: the file in `dist/lib` and its source. The first three need nothing of Node. */
const DOORS = {
  index: 'src/index.ts',
  address: 'src/text/address/index.ts',
  path: 'src/text/path/index.ts',
  tools: 'src/apps/library/index.ts',
  'ai-sdk': 'src/apps/adapters/ai-sdk.ts',
  'openai-agents': 'src/apps/adapters/openai-agents.ts',
  anthropic: 'src/apps/adapters/anthropic.ts',
};

const SMALL_FILES = {
  'a.jsonc': '// c\n{"a": {"b": [1, true, null, "x\\n"]}, "c": 1.5}\n',
  'a.jsonl': '{"a":"b","n":[1]}\n{"a":"c"}\n',
  'a.yaml': 'name: a # c\nsteps:\n  - id: "b"\n    env: {x: 1}\n  - id: c\n',
  'a.md': '---\nname: a\n---\n\n# T\n\n## Tools\n\nText.\n\n- gh: CLI\n  - risk: low\n- b\n\n```sh\nx\n```\n\n## End\n',
};
/** A file and a patch so long that other ways are taken than for a few lines. */
const LONG_LINES = Array.from({ length: 2000 }, (_, i) => `  line ${i} of a file that is read and written in one go`);
const LONG_PATCH = patchOf(
  ['long.txt', 'blanks.txt'].map((name) => [name, Array.from({ length: 100 }, (_, i) => i * 20 + 2)]),
);
/** Many files: they are made durable together. */
const MANY_NAMES = Array.from({ length: 40 }, (_, i) => `many${i}.txt`);
const MANY_PATCH = patchOf(MANY_NAMES.map((name) => [name, [2, 10, 20, 30, 40, 50]]));
const LONG_FILES = {
  'long.txt': `${LONG_LINES.join('\n')}\n`,
  'blanks.txt': `${LONG_LINES.join('  \n')}\n`,
  ...Object.fromEntries(MANY_NAMES.map((name) => [name, `${LONG_LINES.slice(0, 60).join('\n')}\n`])),
};
const SMALL_PATCH =
  '*** Begin Patch\n*** Update File: a.md\n@@\n-## Tools\n+## Tools!\n*** Add File: b/c.txt\n+c\n*** End Patch\n';
const ADDRESSES = [
  'a.jsonc/a/b/0',
  'a.jsonl/L1/a',
  'a.yaml/steps/0/id',
  'a.md/tools/gh/risk',
  'a.md/[frontmatter]/name',
];

/** What a client of the protocol without sessions says with every request. */
const MODERN = {
  _meta: {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'build', version: '0' },
    'io.modelcontextprotocol/clientCapabilities': {},
  },
};

const HOOK_EVENT = JSON.stringify({
  hook_event_name: 'PreToolUse',
  tool_name: 'Bash',
  tool_input: { command: 'ls | head -1' },
  cwd: '/',
  permission_mode: 'default',
});

/** What the program runs to be compiled, in this order, and what its answer must hold. */
const SMALL_RUNS = [
  {
    args: ['path', '--stdin'],
    input: lines(
      ADDRESSES.flatMap((at) => [
        ['resolve', `oc://${at}`],
        ['resolve', `oc://${at}`, '--human'],
      ]),
    ),
    answers: '"code":0',
  },
  {
    args: ['call', '--batch'],
    input: lines([
      { id: 1, tool: 'write', args: { path: 'w.txt', content: 'one\ntwo\n' } },
      { id: 2, tool: 'edit', args: { path: 'w.txt', oldText: 'two', newText: 'three' } },
      { id: 3, tool: 'read', args: { path: 'w.txt' } },
      { id: 4, tool: 'apply_patch', args: { input: SMALL_PATCH } },
    ]),
    answers: '"id":4',
  },
  { args: ['call', 'read', '{"path":"a.md"}'], input: '', answers: '## Tools' },
  {
    args: ['mcp'],
    input: lines([
      rpc(1, 'initialize', {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'build', version: '0' },
      }),
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      rpc(2, 'tools/list', {}),
      rpc(3, 'tools/call', { name: 'read', arguments: { path: 'a.md' } }),
    ]),
    answers: '## Tools',
  },
  {
    args: ['mcp'],
    input: lines([
      rpc(1, 'server/discover', MODERN),
      rpc(2, 'tools/list', MODERN),
      rpc(3, 'tools/call', { ...MODERN, name: 'read', arguments: { path: 'a.md' } }),
    ]),
    answers: '## Tools',
  },
  { args: ['hook', '--decider', 'claude-code'], input: HOOK_EVENT, answers: 'permissionDecision' },
  { args: ['hook', 'claude-code'], input: HOOK_EVENT, answers: 'permissionDecision' },
  { args: ['read', 'a.md'], input: '', answers: '## Tools' },
  { args: ['edit', 'a.md', '--old', 'Text.', '--new', 'Texts.'], input: '', answers: 'Successfully edited' },
  { args: ['patch'], input: SMALL_PATCH.replace(/Tools(!?)/gu, 'Tools!$1').replace('b/c', 'b/d'), answers: 'Success' },
  { args: ['patch'], input: LONG_PATCH, answers: 'Success' },
  { args: ['patch'], input: MANY_PATCH, answers: 'Success' },
  { args: ['status'], input: '', answers: '"daemon"' },
  // Where the daemon cannot start, for instance without SQLite, the program is complete but starts commands slower.
  { args: ['exec', '--', process.execPath, '--version'], input: '', answers: process.version, mayFail: true },
  { args: ['daemon', 'stop'], input: '', answers: '', mayFail: true },
];

/** A patch that changes these lines of these files. @param {readonly (readonly [string, readonly number[]])[]} places */
function patchOf(places) {
  const hunk = (/** @type {number} */ at) =>
    `@@\n ${LONG_LINES[at - 1]}\n-${LONG_LINES[at]}\n+  another line ${at}\n ${LONG_LINES[at + 1]}\n`;
  const files = places.map(([name, lines]) => `*** Update File: ${name}\n${lines.map(hunk).join('')}`);
  return `*** Begin Patch\n${files.join('')}*** End Patch\n`;
}

/** A request of JSON-RPC. @param {number} id @param {string} method @param {object} params */
function rpc(id, method, params) {
  return { jsonrpc: '2.0', id, method, params };
}

/** @param {readonly unknown[]} values */
function lines(values) {
  return values.map((value) => `${JSON.stringify(value)}\n`).join('');
}

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

/** What a thread starts from: the PDF reader and the library that it loads, as files of their own in `dist/pdf`. */
const PDF_FILES = {
  'pdf-worker.mjs': 'src/hosts/media/pdf-worker.mjs',
  'pdfjs.mjs': 'node_modules/unpdf/dist/pdfjs.mjs',
};

/** Tells the code that starts the thread where those files stand, seen from the built code. @param {string} folder */
function pdfIn(folder) {
  /** @type {import('rolldown').Plugin} */
  const plugin = {
    name: 'pdf-files',
    transform: {
      filter: { id: /src[\\/]hosts[\\/]media[\\/]pdf\.ts$/u },
      handler(code) {
        for (const name of Object.keys(PDF_FILES)) {
          if (!code.includes(`'./${name}'`)) throw new Error(`src/hosts/media/pdf.ts does not name ./${name}.`);
          code = code.replaceAll(`'./${name}'`, `'${folder}/${name}'`);
        }
        return { code, map: null };
      },
    },
  };
  return plugin;
}

/** @param {string} out */
function copyPdfFiles(out) {
  mkdirSync(join(out, 'pdf'));
  for (const [name, source] of Object.entries(PDF_FILES)) copyFileSync(join(root, source), join(out, 'pdf', name));
  return join(root, 'node_modules', 'unpdf');
}

/**
 * A package that file-type brings along prints what it does when the environment asks for it, and reads the terminal
 * for that. Nobody asks for it here.
 * @type {import('rolldown').Plugin}
 */
const withoutDebug = {
  name: 'without-debug',
  resolveId: { filter: { id: /^debug$/u }, handler: () => '\0without-debug' },
  load: {
    filter: { id: /^\0without-debug$/u },
    handler: () => 'export default () => Object.assign(() => {}, { enabled: false });',
  },
};

/**
 * The MCP package brings a validator of JSON Schema along, for tools that leave the checking of their parameters to it.
 * Ours do not, and it is most of the package's size.
 * @type {import('rolldown').Plugin}
 */
const withoutValidators = {
  name: 'without-validators',
  resolveId: {
    filter: { id: /^@modelcontextprotocol\/server\/_shims$/u },
    handler: () => join(root, 'src', 'apps', 'mcp', 'sdk-shims.ts'),
  },
};

/** @type {import('rolldown').OutputOptions} */
const PROGRAM_OUTPUT = { format: 'cjs', minify: true, comments: false, dynamicImportInCjs: false };

/** @type {import('rolldown').CodeSplittingGroup[]} */
const CHUNK_GROUPS = Object.entries(CHUNKS).map(([name, entries]) => {
  const patterns = entries.map(chunkPattern);
  return {
    name,
    test: (/** @type {string} */ id) => {
      const path = relative(join(root, 'src'), id).split(sep).join('/');
      return patterns.some((pattern) => pattern.test(path));
    },
  };
});

/** Packages that are never bundled and may be missing: native code, and what only terminals need. */
const OPTIONAL_PACKAGES = ['sharp', '@lydell/node-pty', '@xterm/headless', 'libsql'];

/** @typedef {import('rolldown').OutputChunk | import('rolldown').OutputAsset} Output */

/** Builds the program and gives the folders of the npm packages that went into it. @param {string} out */
async function buildProgram(out) {
  const program = await rolldown({
    cwd: root,
    input: { main: 'src/apps/cli/main.ts' },
    platform: 'node',
    external: [YAML_CHUNK, ...OPTIONAL_PACKAGES],
    plugins: [yamlOnDemand, withoutDebug, withoutValidators, pdfIn('../pdf')],
    onLog: refuseWarnings,
  });
  const main = await program.write({
    ...PROGRAM_OUTPUT,
    dir: join(out, 'chunks'),
    codeSplitting: { groups: CHUNK_GROUPS },
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
  const runner = await rolldown({
    cwd: root,
    input: { runner: 'src/runner/main.ts' },
    platform: 'node',
    external: OPTIONAL_PACKAGES,
    plugins: [withoutDebug, pdfIn('../pdf')],
    onLog: refuseWarnings,
  });
  // A folder of its own: it is all that a sandbox sees of the program. Each role loads its own chunks only.
  const roles = await runner.write({
    ...PROGRAM_OUTPUT,
    dir: join(out, 'runner'),
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name].cjs',
  });
  await runner.close();
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
  finishChunks(join(out, 'chunks'));
  compileChunks(out);
  return packagesIn([...main.output, ...roles.output, ...chunk.output]);
}

/**
 * The launcher reads chunks byte for character, which is fastest: other characters are written as escapes. Each chunk ends
 * with a hash of itself, by which the launcher knows the code that was compiled for it.
 * @param {string} folder
 */
function finishChunks(folder) {
  for (const name of readdirSync(folder)) {
    const code = readFileSync(join(folder, name), 'utf8');
    const escaped = code.replace(/[^\0-\x7f]/gu, (char) =>
      Array.from({ length: char.length }, (_, i) => `\\u${char.charCodeAt(i).toString(16).padStart(4, '0')}`).join(''),
    );
    const hash = createHash('sha256').update(escaped).digest('hex').slice(0, HASH_LENGTH);
    writeFileSync(join(folder, name), `${escaped}\n//${hash}`);
  }
}

/** Keeps what V8 compiles when the program works on small files of every kind. @param {string} out */
function compileChunks(out) {
  const folder = mkdtempSync(join(tmpdir(), 'pincer-build-'));
  try {
    mkdirSync(join(folder, 'ws'));
    for (const [name, text] of Object.entries({ ...SMALL_FILES, ...LONG_FILES }))
      writeFileSync(join(folder, 'ws', name), text);
    for (const { args, input, answers, mayFail } of SMALL_RUNS) {
      const ran = spawnSync(process.execPath, [join(root, 'scripts', 'compile-chunks.cjs'), out, ...args], {
        cwd: join(folder, 'ws'),
        input,
        encoding: 'utf8',
        env: { HOME: folder },
        timeout: 60_000, // exec starts a daemon, which may hang
      });
      const failed = ran.status !== 0 || /"isError":true|"code":[1-9]/u.test(ran.stdout);
      if (!mayFail && (failed || !ran.stdout.includes(answers)))
        throw new Error(`The built program does not answer to ${args.join(' ')}: ${ran.stderr}${ran.stdout}`);
      if (args[0] === 'exec' && (failed || !ran.stdout.includes(answers)))
        console.warn(
          `note: exec failed in the build, so its chunks are not compiled ahead: ${ran.stderr}${ran.stdout}`,
        );
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The chunk is required for the package's names themselves, not for the function that gives them. @param {string} code */
function exportNamesOnly(code) {
  const names = /import \{([^}]*)\} from 'yaml'/u.exec(code)?.[1];
  if (names === undefined) throw new Error('src/text/kinds/yaml/library.ts must import its names from yaml.');
  return { code: `export {${names}} from 'yaml';`, map: null };
}

/** The folders of the npm packages in the program, which may start no ESM loader. @param {Output[]} output */
function packagesIn(output) {
  for (const chunk of output) {
    if (chunk.type === 'chunk' && /\bimport\s*\(/u.test(chunk.code)) {
      throw new Error(`${chunk.fileName} still has an import(): it would start the ESM loader.`);
    }
  }
  return packagesOf(output);
}

/** The folders of the npm packages in an output. @param {Output[]} output */
function packagesOf(output) {
  /** @type {Set<string>} */
  const packages = new Set();
  for (const chunk of output) {
    if (chunk.type !== 'chunk') continue;
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

/** Builds the library's doors and gives the folders of the npm packages that went into them. @param {string} out */
async function buildLibrary(out) {
  const bundle = await rolldown({
    cwd: root,
    input: DOORS,
    platform: 'neutral',
    external: ['yaml', ...OPTIONAL_PACKAGES, /^node:/u],
    // The neutral platform knows neither; not every package has exports, and one reads files where it is not told.
    resolve: { mainFields: ['module', 'main'], aliasFields: [['browser']] },
    plugins: [withoutDebug, pdfIn('../../pdf')],
    onLog: refuseWarnings,
  });
  const { output } = await bundle.write({
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
    '--noCheck', // `npm test` has a step of its own for that
    '--outDir',
    join(out, 'types'),
  );
  return packagesOf(output);
}

/**
 * What one module loads lazily, another that is itself lazy may load at once: that is no mistake. What the program
 * loads at its start, a test holds.
 * @param {string} level @param {{ message: string, code?: string }} log
 */
function refuseWarnings(level, log) {
  if (level === 'warn' && log.code !== 'INEFFECTIVE_DYNAMIC_IMPORT') throw new Error(log.message);
}

/** The licences of the packages inside the program: most ask for their text to be carried along. @param {Set<string>} folders */
function notices(folders) {
  const parts = [...folders].sort().map((folder) => {
    const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/iu.test(entry));
    if (file === undefined) throw new Error(`${relative(root, folder).split(sep).join('/')} has no licence file.`);
    return `${name} ${version}\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
  });
  return [...parts, pdfJsNotice()].join(`\n${'-'.repeat(80)}\n\n`);
}

/** unpdf ships PDF.js inside of its own files, without its licence. */
function pdfJsNotice() {
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'node_modules', 'unpdf', 'package.json'), 'utf8'));
  const version = devDependencies?.['pdfjs-dist'];
  if (version === undefined) throw new Error('unpdf does not say which PDF.js it ships.');
  const licence = readFileSync(join(root, 'scripts', 'licences', 'apache-2.0.txt'), 'utf8').trim();
  return `PDF.js (pdfjs-dist ${version}, within unpdf)\n\nCopyright Mozilla Foundation\n\n${licence}\n`;
}

/** Builds beside `dist/` and swaps at the end: a failed build leaves the old program whole. */
async function build() {
  const scanner = join(root, 'scripts', 'build-scan.mjs');
  if (existsSync(scanner)) node(scanner);
  const fresh = join(root, `.dist-${process.pid}`);
  const old = join(root, `.dist-old-${process.pid}`);
  try {
    mkdirSync(fresh);
    const packages = [
      ...(await buildProgram(fresh)),
      ...(await buildLibrary(fresh)),
      ...packagesOf(await buildPage(join(fresh, 'page'))),
      copyPdfFiles(fresh),
    ];
    writeFileSync(join(fresh, 'THIRD-PARTY.txt'), notices(new Set(packages)));
    node(join(root, 'scripts', 'manual.mjs'), join(fresh, 'man'));
    if (existsSync(dist)) renameSync(dist, old);
    renameSync(fresh, dist);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
    rmSync(old, { recursive: true, force: true });
  }
}

await build();
