import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { MACHINE, NOT_PURE, PURE } from './scripts/suites.mjs';
import { timeoutFor } from './tests/support/budget.ts';
import LongestFirst from './tests/setup/sequencer.ts';

const source = (path: string) => fileURLToPath(new URL(`./src/${path}`, import.meta.url));

export default defineConfig({
  resolve: {
    // The examples import the library by its doors, as a user does.
    alias: {
      'pincer/address': source('text/address/index.ts'),
      'pincer/path': source('text/path/index.ts'),
      'pincer/tools': source('apps/library/index.ts'),
      'pincer/ai-sdk': source('apps/adapters/ai-sdk.ts'),
      'pincer/openai-agents': source('apps/adapters/openai-agents.ts'),
      'pincer/anthropic': source('apps/adapters/anthropic.ts'),
    },
  },
  test: {
    setupFiles: ['tests/setup/processor-time.ts'],
    // Far beyond what a busy machine needs: they only end what would never come.
    testTimeout: timeoutFor(180_000),
    hookTimeout: 180_000,
    expect: { poll: { timeout: 40_000 } },
    // One process runs many files: to start it and to load the sources takes longer than most files.
    isolate: false,
    // What a test replaces is back before the next one, which shares its process.
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
    // Most tests wait for processes: with one file per core the machine would be half idle.
    maxWorkers: availableParallelism() * 3,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: { name: 'machine', pool: 'forks', include: MACHINE, globalSetup: ['tests/setup/programs.ts'] },
      },
      { extends: true, test: { name: 'pure', pool: 'threads', include: PURE, exclude: NOT_PURE } },
    ],
  },
});
