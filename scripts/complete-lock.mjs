// @ts-check
/**
 * Completes package-lock.json: `npm ci` refuses a lock file that lacks an optional package of another platform, and npm
 * leaves such packages out when the registry it asked did not have them. Their exact versions stand in the packages
 * that want them, and their platform in their names; only the checksum of what was never seen stays open.
 *
 *   node scripts/complete-lock.mjs
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/**
 * @typedef {{
 *   version?: string, dev?: boolean, optional?: boolean, os?: string[], cpu?: string[], libc?: string[],
 *   optionalDependencies?: Record<string, string>,
 * }} Entry
 * @typedef {{ packages: Record<string, Entry> }} Lock
 */

const SYSTEMS = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32'];
const PROCESSORS = ['arm', 'arm64', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'wasm32', 'x64'];

/** What a package's name says about its platform: `@x/binding-linux-arm64-musl`. @param {string} name @returns {Entry} */
export function platformOf(name) {
  const words = (name.split('/').at(-1) ?? '').split('-');
  const os = words.filter((word) => SYSTEMS.includes(word));
  const cpu = words.filter((word) => PROCESSORS.includes(word));
  const libc = words.flatMap((word) => (word.startsWith('musl') ? ['musl'] : word.startsWith('gnu') ? ['glibc'] : []));
  return {
    ...(cpu.length > 0 ? { cpu } : {}),
    ...(libc.length > 0 && os.includes('linux') ? { libc } : {}),
    ...(os.length > 0 ? { os } : {}),
  };
}

/** Where Node would find `name` from the package at `from`, innermost first. @param {string} from @param {string} name */
function lookups(from, name) {
  const found = [];
  for (let base = from; ; base = base.slice(0, Math.max(0, base.lastIndexOf('node_modules/') - 1))) {
    found.push(`${base === '' ? '' : `${base}/`}node_modules/${name}`);
    if (base === '') return found;
  }
}

/** The entries that the lock file lacks, by path. @param {Lock} lock @returns {Record<string, Entry>} */
export function missingEntries(lock) {
  /** @type {Record<string, Entry>} */
  const added = {};
  for (const [path, entry] of Object.entries(lock.packages)) {
    for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
      if (!/^\d/u.test(version)) continue; // a range: npm has to choose
      const places = lookups(path, name);
      /** @param {string} place */
      const at = (place) => lock.packages[place] ?? added[place];
      const nearest = places.find((place) => at(place) !== undefined);
      if (nearest !== undefined && at(nearest)?.version === version) continue;
      // As far out as no other version stands in the way.
      const place = nearest === undefined ? places.at(-1) : places[places.indexOf(nearest) - 1];
      if (place === undefined) continue;
      const { cpu, libc, os } = platformOf(name);
      added[place] = {
        version,
        ...(cpu ? { cpu } : {}),
        ...(entry.dev === true ? { dev: true } : {}),
        ...(libc ? { libc } : {}),
        optional: true,
        ...(os ? { os } : {}),
      };
    }
  }
  return added;
}

function completeLock() {
  const file = join(dirname(dirname(fileURLToPath(import.meta.url))), 'package-lock.json');
  const lock = JSON.parse(readFileSync(file, 'utf8'));
  const added = missingEntries(lock);
  const entries = Object.entries({ ...lock.packages, ...added });
  entries.sort(([a], [b]) => a.localeCompare(b, 'en')); // npm's own order
  lock.packages = Object.fromEntries(entries);
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
  console.log(`${Object.keys(added).length} entries added to package-lock.json.`);
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) completeLock();
