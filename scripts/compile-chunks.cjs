// @ts-check
/**
 * Runs the built program once and keeps what V8 compiled on the way, beside what earlier runs left: `NAME.cjs.code`
 * beside each chunk. Functions that no run calls are compiled when they are needed, as always.
 * usage: node compile-chunks.cjs DIST ARGUMENTS…
 */
const { chmodSync, readFileSync, writeFileSync } = require('node:fs');
const path = require('node:path');

const dist = path.resolve(process.argv[2] ?? 'dist');
const { chunkLoader, packedCode } = /** @type {typeof import('../src/apps/cli/launch.ts')} */ (
  require(path.join(dist, 'pincer.cjs'))
);

/** @type {import('../src/apps/cli/launch.ts').LoadedScript[]} */
const scripts = [];
process.argv = [process.argv[0] ?? '', path.join(dist, 'pincer.cjs'), ...process.argv.slice(3)];
chunkLoader(require, (script) => scripts.push(script))(path.join(dist, 'chunks', 'main.cjs'));
process.once('exit', () => {
  for (const { file, script } of scripts) {
    writeFileSync(`${file}.code`, packedCode(readFileSync(file), script.createCachedData()));
    chmodSync(`${file}.code`, 0o644); // code that others could write is not read, whatever the umask of the build
  }
});
