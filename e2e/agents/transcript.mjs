// @ts-check
/** Writes what happened as a page of the documents: the same on every machine and at every time. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { ROOT } from '../support/place.mjs';

const PAGES = join(ROOT, 'docs', 'agents');

/** What differs from run to run, and what stands for it. @type {readonly [RegExp, string][]} */
const VARYING = [
  [/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gu, 'ID'],
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/gu, 'TIME'],
  [/\b(approval |allow |deny )[0-9a-f]{8}\b/gu, '$1SLUG'],
  [/\b(session |pincer logs )[a-z]+-[a-z]+\b/gu, '$1SESSION'],
  [/127\.0\.0\.1:\d+/gu, '127.0.0.1:PORT'],
  [/("(?:durationMs|expiresAtMs|startedAt|endedAt|pid)":\s*)\d+(?:\.\d+)?/gu, '$10'],
  [/\b(Chunk ID: )[0-9a-f]+/gu, '$10'],
  [/(Process Group PGID: )\d+/gu, '$10'],
  [/Wall time: [\d.]+ seconds/gu, 'Wall time: 0.0 seconds'],
  [/[ \t]+$/gmu, ''],
];

/** Takes out the machine, the time and all ids. @param {string} text @param {import('../support/place.mjs').Place} place */
export function normalised(text, place) {
  let plain = stripVTControlCharacters(text)
    .replaceAll(place.workspace, '/home/me/project')
    .replaceAll(place.home, '/home/me')
    .replaceAll(place.folder, '/home/me/pincer')
    .replaceAll(ROOT, '/home/me/pincer');
  for (const [pattern, word] of VARYING) plain = plain.replace(pattern, word);
  return plain;
}

/**
 * A block of text as it was.
 * @param {string} text @param {string} [kind]
 */
export function block(text, kind = '') {
  const fence = text.includes('```') ? '````' : '```';
  return `${fence}${kind}\n${text.trimEnd()}\n${fence}`;
}

/** What a model was given, as text or as JSON. @param {unknown} value */
export function shown(value) {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

/** Writes a page; its parts are paragraphs. @param {string} name @param {readonly string[]} parts */
export function writePage(name, parts) {
  mkdirSync(PAGES, { recursive: true });
  writeFileSync(join(PAGES, `${name}.md`), `${parts.join('\n\n')}\n`);
}
