// @ts-check
/** Writes the pages of the manual into a folder: `node scripts/manual.mjs dist/man`. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadTexts } from './definitions.mjs';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('Name the folder for the pages: node scripts/manual.mjs dist/man.');
mkdirSync(folder, { recursive: true });
const { manualPages } = await loadTexts();
for (const { file, text } of await manualPages()) writeFileSync(join(folder, file), text);
