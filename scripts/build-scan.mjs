// Compiles the scanners (AssemblyScript) and embeds them: src/text/scan/generated/scan-wasm.ts.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import asc from 'assemblyscript/asc';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const assembly = join(root, 'src', 'text', 'scan', 'assembly');
const target = join(root, 'src', 'text', 'scan', 'generated', 'scan-wasm.ts');

const outputs = new Map();
const messages = [];
const { error } = await asc.main(
  [
    'index.ts',
    '--outFile',
    'scan.wasm',
    '--enable',
    'simd',
    '--runtime',
    'stub',
    '--use',
    'abort=',
    '--noAssert',
    '-O3',
    '--converge',
  ],
  {
    readFile(name, baseDir) {
      try {
        return readFileSync(join(assembly, baseDir, name), 'utf8');
      } catch (cause) {
        if (cause.code === 'ENOENT') return null;
        throw cause;
      }
    },
    writeFile: (name, contents) => outputs.set(name, contents),
    listFiles: () => [],
    stderr: { write: (chunk) => messages.push(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString()) },
  },
);
if (error) {
  process.stderr.write(`${messages.join('')}${error.message}\n`);
  process.exit(1);
}

const wasm = Buffer.from(outputs.get('scan.wasm'));
const text = [
  '// Made by scripts/build-scan.mjs from ../assembly; not kept in the repository.',
  `export const SCAN_WASM = '${wasm.toString('base64')}';`,
  '',
].join('\n');
let old;
try {
  old = readFileSync(target, 'utf8');
} catch (cause) {
  if (cause.code !== 'ENOENT') throw cause;
}
if (old !== text) {
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, text);
}
process.stdout.write(`scanners: ${wasm.length} bytes of WebAssembly\n`);
