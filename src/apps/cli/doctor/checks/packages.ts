/** Optional packages: whether they load, and what does not work without them. */
import { createRequire } from 'node:module';
import { Fault } from '../../../../base/fault.ts';
import { type Check, fail, type Finding, ok, warn } from '../check.ts';

/** Native or large packages that an installation may lack. */
const OPTIONAL = [
  { name: '@lydell/node-pty', lacks: 'exec --pty does not work' },
  { name: '@xterm/headless', lacks: 'the screen of a session with a terminal is unavailable' },
  { name: 'sharp', lacks: 'read cannot show images' },
] as const;

export const packages: Check = {
  id: 'packages',
  run: ({ program }) => OPTIONAL.flatMap(({ name, lacks }) => loadFinding(name, lacks, program)),
};

function loadFinding(name: string, lacks: string, program: string): readonly Finding[] {
  try {
    createRequire(program)(name);
    return ok(`${name} loads`);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'MODULE_NOT_FOUND' && message.includes(`'${name}'`))
      return warn(`${name} is not installed: ${lacks}`, `npm install ${name} next to pincer`);
    return warn(`${name} does not load (${message.split('\n', 1)[0]}): ${lacks}`, `npm rebuild ${name}`);
  }
}

export const database: Check = {
  id: 'database',
  async run() {
    try {
      const { loadEngine } = await import('../../../../hosts/database/engines.ts');
      const engine = await loadEngine();
      const connection = engine.open(':memory:');
      try {
        const row = connection.prepare('select sqlite_version() as version').get();
        return ok(`${engine.name} answers: SQLite ${String(row?.['version'])}`);
      } finally {
        connection.close();
      }
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      return fail(error.message, error.hint ?? 'install libsql, or Node 22.13 or newer');
    }
  },
};
