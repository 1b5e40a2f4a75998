/** Pictures of the screens for the documents. `PINCER_SCREENSHOTS=1` writes them; a usual run makes none and compares none. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { root } from '../../house/sources.ts';

const FOLDER = join(root, 'docs', 'screenshots');
const isWriting = process.env['PINCER_SCREENSHOTS'] === '1';

/** @param name such as `approvals-light` */
export async function screenshot(page: Page, name: string): Promise<void> {
  if (!isWriting) return;
  mkdirSync(FOLDER, { recursive: true });
  await page.screenshot({ path: join(FOLDER, `${name}.png`), animations: 'disabled' });
}
