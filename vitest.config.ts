import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

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
    include: ['tests/**/*.test.ts'],
    setupFiles: ['tests/support/processor-time.ts'],
    // Far beyond what a busy machine needs: they only end what would never come.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 40_000 } },
    pool: 'forks',
    // Most tests wait for processes, so a machine with two cores is half idle with one file at a time.
    maxWorkers: '100%',
  },
});
