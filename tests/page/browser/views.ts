/** How each screen is opened, checked and photographed. */
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { scrollsDown, scrollsSideways, violationsOn } from './axe.ts';
import { screenshot } from './screenshots.ts';

const WIDE = { width: 1360, height: 860 };
const VIEWS = [
  { name: 'light', colorScheme: 'light', size: WIDE },
  { name: 'dark', colorScheme: 'dark', size: WIDE },
  { name: 'phone', colorScheme: 'light', size: { width: 320, height: 640 } },
] as const;

/**
 * Light, dark and on a phone: fails on what axe finds, and on a page that is wider or higher than its window.
 * @param what such as `nodes`
 */
export async function checkViews(page: Page, what: string): Promise<void> {
  for (const { name, colorScheme, size } of VIEWS) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize(size);
    const shown = `${what}-${name}`;
    const scrolls = [await scrollsSideways(page), await scrollsDown(page)];
    expect([shown, await violationsOn(page), scrolls]).toEqual([shown, [], [false, false]]);
    await screenshot(page, shown);
  }
  await page.setViewportSize(WIDE);
}

/** By its address, as a bookmark does; the browser is logged in. */
export async function openScreen(page: Page, path: string): Promise<void> {
  await page.goto(new URL(path, page.url()).href);
  await page.getByText('Live', { exact: true }).waitFor();
}

/** The name of a button that says what it acts on, which only screen readers get. */
export function named(button: string, about: string): RegExp {
  return new RegExp(`^${escaped(button)} ?: ${escaped(about)}$`, 'u');
}

function escaped(text: string): string {
  return text.replaceAll(/[/.]/gu, String.raw`\$&`);
}
