/** Debian's Chromium, driven by Playwright. Each test gets a profile of its own, which is removed with it. */
import { existsSync, mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { CHROMIUM, FLAGS } from '../../../bench/page/browser.mjs';
import { removeFolder } from '../../support/folder.ts';
import { PATIENCE_MS } from '../../support/patience.ts';

/** `npm test` installs it where it may. */
export const hasChromium = existsSync(CHROMIUM);

export interface Browser {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Errors of the page, of its console and of its Content-Security-Policy. */
  readonly problems: readonly string[];
}

export interface BrowserOptions {
  readonly colorScheme?: 'light' | 'dark';
  readonly width?: number;
  readonly height?: number;
}

/** A browser with one empty tab. */
export async function openBrowser(options: BrowserOptions = {}): Promise<Browser> {
  const { colorScheme = 'light', width = 1360, height = 860 } = options;
  const profile = realpathSync(mkdtempSync(join(tmpdir(), 'pincer-browser-')));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: CHROMIUM,
    headless: true,
    args: FLAGS,
    viewport: { width, height },
    colorScheme,
    locale: 'en-GB',
  });
  onTestFinished(async () => {
    await context.close();
    removeFolder(profile);
  });
  context.setDefaultTimeout(PATIENCE_MS);
  const problems: string[] = [];
  const page = context.pages()[0] ?? (await context.newPage());
  watch(page, problems);
  context.on('page', (opened) => watch(opened, problems));
  return { context, page, problems };
}

function watch(page: Page, problems: string[]): void {
  page.on('pageerror', (error) => void problems.push(error.message));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) problems.push(message.text());
  });
}
