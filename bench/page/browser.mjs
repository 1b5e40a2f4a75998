// @ts-check
/** Debian's Chromium with a page that is logged in. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

export const CHROMIUM = '/usr/bin/chromium';
/** Also for the tests. A browser of root has no sandbox, and it makes no requests of its own. */
export const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** @param {string} folder */
export async function openBrowser(folder) {
  if (!existsSync(CHROMIUM)) throw new Error(`${CHROMIUM} is missing: apt-get install chromium`);
  const { chromium } = await import('playwright-core');
  return chromium.launchPersistentContext(join(folder, 'profile'), {
    executablePath: CHROMIUM,
    headless: true,
    args: FLAGS,
    viewport: { width: 1360, height: 860 },
  });
}

/** @param {import('playwright-core').Page} page @param {string} link */
export async function logIn(page, link) {
  await page.goto(link);
  await page.getByText('Live', { exact: true }).waitFor();
}

/**
 * The longest and the 99th percentile of the frames while `work` runs in the page, in ms.
 * @param {import('playwright-core').Page} page @param {() => Promise<unknown>} work
 */
export async function framesDuring(page, work) {
  await page.evaluate(() => {
    const frames = /** @type {number[]} */ (/** @type {any} */ (globalThis).benchFrames ?? []);
    frames.length = 0;
    /** @type {any} */ (globalThis).benchFrames = frames;
    /** @type {any} */ (globalThis).benchIsOn = true;
    let last = performance.now();
    const next = () => {
      const now = performance.now();
      frames.push(now - last);
      last = now;
      if (/** @type {any} */ (globalThis).benchIsOn) requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
  });
  await work();
  const frames = await page.evaluate(() => {
    /** @type {any} */ (globalThis).benchIsOn = false;
    return /** @type {number[]} */ (/** @type {any} */ (globalThis).benchFrames);
  });
  return { p99: quantile(frames, 0.99), longest: Math.max(...frames) };
}

/** @param {readonly number[]} list @param {number} share */
export function quantile(list, share) {
  return [...list].sort((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * share))] ?? Number.NaN;
}
