import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const source = (path: string) => fileURLToPath(new URL(`./src/${path}`, import.meta.url));

export default defineConfig({
  resolve: {
    // The examples import the library by its doors, as a user does.
    alias: { 'pincer/address': source('text/address/index.ts'), 'pincer/path': source('text/path/index.ts') },
  },
  test: {
    include: ['tests/**/*.test.ts'],
    testTimeout: 60_000,
    pool: 'forks',
  },
});
