/** The accessibility checker axe, on the page as it is. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const SOURCE = readFileSync(createRequire(import.meta.url).resolve('axe-core'), 'utf8');

/** The violations, each with the elements that it is about. */
export async function violationsOn(page: Page): Promise<readonly string[]> {
  // By the debugger: the Content-Security-Policy of the page allows no script of others.
  await page.evaluate(`if (globalThis.axe === undefined) { ${SOURCE} }`);
  // A dialog that fades in has the contrast of none of its colours. A program may make the cursor of a terminal blink for ever.
  await page.evaluate(`Promise.allSettled(
    document.getAnimations()
      .filter(({ effect }) => Number.isFinite(effect.getComputedTiming().endTime))
      .map(({ finished }) => finished),
  ).then(() => {})`);
  const { violations } = (await page.evaluate('axe.run(document, { resultTypes: ["violations"] })')) as AxeResults;
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

/** Whether something is wider than the window. */
export function scrollsSideways(page: Page): Promise<boolean> {
  return page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth');
}

/** Whether the document is higher than the window: only parts of the page scroll. */
export function scrollsDown(page: Page): Promise<boolean> {
  return page.evaluate('document.documentElement.scrollHeight > document.documentElement.clientHeight');
}
