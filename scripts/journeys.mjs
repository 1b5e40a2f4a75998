// @ts-check
/**
 * Walks the journeys of docs/architecture.md through a build that counts: for each process that takes part, the files of
 * `src` that it has loaded, and the longest call stack (functions of `src`, awaited ones too) from its entry to a system
 * call of that kind. `node scripts/journeys.mjs` measures this tree; `node scripts/journeys.mjs DIR` another one.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = resolve(process.argv[2] ?? dirname(dirname(fileURLToPath(import.meta.url))));
const folder = mkdtempSync(join(tmpdir(), 'pincer-journeys-'));
const copy = join(folder, 'tree');
const counts = join(folder, 'counts');
const INSIDE = '/workspace/.counts';

/** Runs in each process, before its first file. @param {string} outside */
function counter(outside) {
  return `
import fs from 'node:fs';
import net from 'node:net';
import child from 'node:child_process';
Error.stackTraceLimit = Infinity;
const { appendFileSync, existsSync } = fs;
const folder = existsSync(${JSON.stringify(outside)}) ? ${JSON.stringify(outside)} : ${JSON.stringify(INSIDE)};
const args = process.argv.slice(1).map((each) => each.slice(each.lastIndexOf('/') + 1)).join(' ');
const write = (row: object): void => {
  try { appendFileSync(folder + '/' + process.pid + '.jsonl', JSON.stringify({ args, ...row }) + '\\n'); } catch {}
};
(globalThis as any).journeyFile = (file: string) => write({ file });
const longest: Record<string, number> = {};
const note = (call: string): void => {
  const stack = String(new Error().stack).split('\\n').slice(3);
  const frames = stack.filter((line) => /dist[/\\\\]/.test(line) || /\\/(?:runner|inside)\\//.test(line)).length;
  if (frames > (longest[call] ?? 0)) write({ call, frames: (longest[call] = frames) });
};
const wrap = (object: any, name: string, call: string): void => {
  const real = object[name];
  object[name] = function (this: unknown, ...rest: unknown[]) { note(call); return Reflect.apply(real, this, rest); };
};
wrap(fs, 'renameSync', 'rename');
wrap(fs, 'writeSync', 'write');
wrap(child, 'spawn', 'spawn');
wrap(net.Socket.prototype, 'write', 'send');
`;
}

function instrument() {
  cpSync(root, copy, { recursive: true, filter: (path) => !/\/(?:node_modules|dist|\.git)$/u.test(path) });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  mkdirSync(counts);
  const description = join(copy, 'package.json'); // without its claim that no file has side effects, the counter stays in
  writeFileSync(description, readFileSync(description, 'utf8').replace('"sideEffects": false,', ''));
  const build = join(copy, 'scripts', 'build.mjs');
  const script = readFileSync(build, 'utf8').replace('minify: true', 'minify: false');
  writeFileSync(build, script);
  writeFileSync(join(copy, 'src', 'journey-counter.ts'), counter(counts));
  const entries = [...script.matchAll(/input: \{[^}]*?'(src\/[^']+\.ts)' \}/gu)].map((match) => match[1] ?? '');
  for (const each of readdirSync(join(copy, 'src'), { recursive: true, encoding: 'utf8' })) {
    const file = join('src', each);
    if (!file.endsWith('.ts') || /assembly|generated|journey-counter|library\.ts|\.d\.ts/u.test(file)) continue;
    appendFileSync(join(copy, file), `\n(globalThis as any).journeyFile?.(${JSON.stringify(file)});\n`);
  }
  for (const entry of entries.filter((each) => !each.endsWith('library.ts'))) {
    const path = relative(dirname(join(copy, entry)), join(copy, 'src', 'journey-counter.ts'));
    const text = readFileSync(join(copy, entry), 'utf8');
    const start = text.startsWith('#!') ? text.indexOf('\n') + 1 : 0;
    const hook = `import '${path.startsWith('.') ? path : `./${path}`}';\n`;
    writeFileSync(join(copy, entry), text.slice(0, start) + hook + text.slice(start));
  }
  execFileSync(process.execPath, [join(copy, 'scripts', 'build-scan.mjs')], { cwd: copy, stdio: 'ignore' });
  const built = spawnSync(process.execPath, [build], { cwd: copy, encoding: 'utf8' });
  if (built.status !== 0) throw new Error(built.stderr);
  const chunks = join(copy, 'dist', 'chunks');
  // The code that V8 compiled for the build has counters that the build has run already.
  for (const name of readdirSync(chunks)) if (name.endsWith('.code')) rmSync(join(chunks, name));
}

const workspace = join(folder, 'workspace');
const environment = {
  HOME: join(folder, 'home'),
  PATH: process.env['PATH'],
  PINCER_STATE_DIR: join(folder, 'state'),
};

/** @param {string[]} args */
function pincer(...args) {
  const options = { cwd: workspace, env: environment, encoding: /** @type {const} */ ('utf8'), maxBuffer: 2 ** 26 };
  return spawnSync(process.execPath, [join(copy, 'dist', 'pincer.cjs'), ...args], options);
}

/** The counts of all processes, which are then forgotten. */
function collect() {
  /** @type {Map<string, { files: Set<string>, frames: Map<string, number> }>} */
  const processes = new Map();
  for (const at of [counts, join(workspace, '.counts')])
    for (const name of readdirSync(at)) {
      for (const line of readFileSync(join(at, name), 'utf8').split('\n').filter(Boolean)) {
        const { args, file, call, frames } = JSON.parse(line);
        const key = args.replace(/^pincer\.cjs (?!daemon).*/u, 'program').replace(/^(?:pincer|runner|\w+)\.cjs /u, '');
        const row = processes.get(key) ?? { files: new Set(), frames: new Map() };
        processes.set(key, row);
        if (file !== undefined) row.files.add(file);
        if (call !== undefined) row.frames.set(call, Math.max(frames, row.frames.get(call) ?? 0));
      }
      rmSync(join(at, name));
    }
  return processes;
}

/** @param {string} title @param {ReturnType<typeof collect>} processes */
function print(title, processes) {
  for (const [name, { files, frames }] of [...processes].toSorted(([a], [b]) => b.localeCompare(a)))
    console.log(
      `| ${title} | ${name} | ${files.size} | ${[...frames].map(([call, n]) => `${call} ${n}`).join(', ')} |`,
    );
}

/** @param {string} title @param {() => unknown} walk */
async function journey(title, walk) {
  const done = await walk();
  const failed = /** @type {{ status?: number, stderr?: string }} */ (done ?? {});
  if (failed.status !== undefined && failed.status !== 0)
    console.log(`${title}: exit ${failed.status} ${failed.stderr}`);
  print(title, collect());
}

async function main() {
  instrument();
  mkdirSync(join(workspace, '.counts'), { recursive: true });
  mkdirSync(environment.HOME);
  writeFileSync(join(workspace, 'a.jsonc'), '{"a": {"b": 1}}\n');
  rmSync(counts, { recursive: true });
  mkdirSync(counts);
  console.log(`${basename(root)}\n\n| journey | process | files loaded | longest call stacks |\n|---|---|---|---|`);
  await journey('path set', () => pincer('path', 'set', 'oc://a.jsonc/a/b', '2'));
  await journey('edit', () => pincer('call', 'edit', '{"path":"a.jsonc","oldText":"2","newText":"3"}'));
  pincer('config', 'set', 'tools.exec.host', 'gateway');
  collect();
  await journey('approval', async () => {
    pincer('exec', '--', 'touch', 'made');
    const [{ id }] = JSON.parse(pincer('approvals', 'list', '--json').stdout).approvals;
    return pincer('approvals', 'allow', id);
  });
  await sleep(500);
  pincer('daemon', 'stop', '--force');
  pincer('config', 'set', 'tools.exec.security', 'full');
  pincer('config', 'set', 'tools.exec.ask', 'off');
  collect();
  await journey('background output', async () => {
    const { stdout } = pincer('exec', '--background', '--json', '--', 'sh', '-c', 'seq 200000');
    await sleep(1000);
    return pincer('logs', JSON.parse(stdout).session.id);
  });
  pincer('daemon', 'stop', '--force');
  pincer('init', '--posture', 'sandboxed', '--yes');
  pincer('config', 'set', 'sandbox.workspaceAccess', 'rw');
  collect();
  await journey('sandboxed edit', () => pincer('call', 'edit', '{"path":"a.jsonc","oldText":"3","newText":"4"}'));
  pincer('daemon', 'stop', '--force');
}

try {
  await main();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
