// @ts-check
/**
 * `llms.txt` and `llms-full.txt`: what a model reads about Pincer, made from the README, the documents and the definitions of
 * the commands. `node scripts/llms.mjs` writes them; with `--check` it says whether they are current.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { loadTexts, root } from './definitions.mjs';

/** Documents for those who change Pincer, not for those who use it. */
const FOR_DEVELOPERS = ['architecture.md', 'testing.md'];

/** @param {string} path */
function read(path) {
  return readFileSync(join(root, path), 'utf8');
}

/** The documents, each with its heading and the first paragraph below it. */
function documents() {
  const names = readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .sort();
  return names.map((name) => ({ path: `docs/${name}`, ...opening(read(`docs/${name}`)), text: read(`docs/${name}`) }));
}

/** @param {string} text */
function opening(text) {
  const title = /^# (.+)$/mu.exec(text)?.[1] ?? '';
  const first = text
    .slice(text.indexOf('\n', text.indexOf(`# ${title}`)) + 1)
    .split(/\n{2,}/u)
    .map((part) => part.trim().replaceAll(/\s+/gu, ' '))
    .find((part) => /^[\p{L}`]/u.test(part));
  return { title, summary: (/^.*?[.:](?=\s|$)/u.exec(first ?? '')?.[0] ?? first ?? '').replace(/:$/u, '.') };
}

/** Both files by their names. */
export async function llmsFiles() {
  const { helpTexts } = await loadTexts();
  const helps = await helpTexts();
  const docs = documents();
  const about = opening(read('README.md'));
  const link = (/** @type {{ title: string, path: string, summary: string }} */ { title, path, summary }) =>
    `- [${title}](${path})${summary === '' ? '' : `: ${summary}`}\n`;
  const isForUsers = (/** @type {{ path: string }} */ { path }) => !FOR_DEVELOPERS.includes(path.slice('docs/'.length));
  const index = [
    `# ${about.title}\n\n> ${about.summary}\n\n`,
    'Every command explains itself with --help; in a pipe answers are JSON. All of this in one file: [llms-full.txt](llms-full.txt)\n\n',
    `## Documents\n\n- [README](README.md): what it is, with a tour\n${docs.filter(isForUsers).map(link).join('')}\n`,
    `## Commands\n\n${helps.map(({ name, summary }) => `- \`pincer ${name}\`: ${summary}\n`).join('')}\n`,
    `## Optional\n\n${docs
      .filter((one) => !isForUsers(one))
      .map(link)
      .join('')}`,
    ...(existsSync(join(root, 'CHANGELOG.md')) ? ['- [Changes](CHANGELOG.md)\n'] : []),
  ];
  const parts = [
    { path: 'README.md', text: read('README.md') },
    ...docs.filter(isForUsers),
    ...helps.map(({ name, text }) => ({ path: `pincer ${name} --help`, text: `\`\`\`text\n${text}\`\`\`\n` })),
  ];
  const full = parts.map(({ path, text }) => `<!-- ${path} -->\n\n${text.trimEnd()}\n`).join('\n');
  return { 'llms.txt': index.join(''), 'llms-full.txt': full };
}

/** The files that are not as they would be written now. */
export async function outdated() {
  const files = Object.entries(await llmsFiles());
  return files.filter(([name, text]) => !existsSync(join(root, name)) || read(name) !== text).map(([name]) => name);
}

async function main() {
  if (process.argv.includes('--check')) {
    const old = await outdated();
    if (old.length > 0) throw new Error(`${old.join(' and ')} are not current: run node scripts/llms.mjs.`);
    return;
  }
  for (const [name, text] of Object.entries(await llmsFiles())) writeFileSync(join(root, name), text);
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) await main();
