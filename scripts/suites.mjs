// @ts-check
/** Which test files run how; read by vitest.config.ts and by `npm test`. */

/** Tests of text, rules and tools: they start no process and change nothing that a whole process shares. */
const PURE_ROOMS = ['base', 'wire', 'text', 'policy', 'config', 'tools', 'page'];

/** Where these tests stand, with the rules of the house. */
export const PURE_FOLDERS = [...PURE_ROOMS.map((room) => `tests/${room}/`), 'tests/house.test.ts'];

export const PURE = [`tests/{${PURE_ROOMS.join()}}/**/*.test.ts`, 'tests/house.test.ts'];

/** Tests of these rooms that start commands nevertheless. */
export const NOT_PURE = [
  'tests/tools/{exec,process,edit-processes}.test.ts',
  'tests/policy/fuzz.test.ts',
  'tests/page/browser/**/*.test.ts',
];

/** All others: they use the machine. */
export const MACHINE = [`tests/!(${PURE_ROOMS.join('|')})/**/*.test.ts`, ...NOT_PURE];

/** The scenarios, of which the quick tier plays one of each area. */
export const SCENARIOS = 'tests/scenarios/scenarios.test.ts';

/** Folders whose files take longest. They start first, so that no worker is left with a long file at the end. */
export const LONGEST = [
  'tests/scenarios',
  'tests/hosts/sandbox/container',
  'tests/contracts/sandbox-escape',
  'tests/apps/mcp',
  'tests/escapes',
  'tests/apps/serve',
  'tests/durability',
  'tests/hosts/files',
];
