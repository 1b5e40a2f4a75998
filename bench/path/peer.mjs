// @ts-check
/** One parse of a whole file by another library, as a process. usage: node peer.mjs js-yaml|markdown-it FILE */
import { readFileSync } from 'node:fs';

const [, , name, file = ''] = process.argv;
const text = readFileSync(file, 'utf8');
if (name === 'js-yaml') (await import('js-yaml')).load(text);
else new (await import('markdown-it')).default().parse(text, {});
