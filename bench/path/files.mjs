// @ts-check
/** The files that the questions are asked of. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Four documents of about 2 KB with the same content. @param {string} folder */
export function smallFiles(folder) {
  const numbers = Array.from({ length: 24 }, (_, i) => i);
  const plugins = Object.fromEntries(
    numbers.map((i) => [`p${i}`, { enabled: i % 2 === 0, id: `plugin-${i}`, role: 'vcs' }]),
  );
  const json = JSON.stringify({ version: '1.0', plugins }, null, 2);
  writeFileSync(join(folder, 'small.json'), json);
  writeFileSync(join(folder, 'small.jsonc'), `// plugins of the desk\n${json.replace('"p9"', '/* nine */ "p9"')}\n`);
  writeFileSync(
    join(folder, 'small.yaml'),
    `name: triage\nsteps:\n${numbers.map((i) => `  - id: step-${i}\n    command: mail.search # ${i}\n    env:\n      LEVEL: info\n`).join('')}`,
  );
  writeFileSync(
    join(folder, 'small.md'),
    `---\nname: main\n---\n\n# Agents\n\n## Tools\n\n${numbers.map((i) => `- tool-${i}: does the thing number ${i}\n  - risk: low\n`).join('')}\n## Limits\n\nSome *text* here.\n`,
  );
  writeFileSync(
    join(folder, 'small.jsonl'),
    numbers.map((i) => `{"event":"action","userId":"u${i}","ts":${i},"text":"some words"}\n`).join(''),
  );
}

/** A JSON file and the same with comments; the leaf stands at 92 % of it. @param {string} folder @param {number} bytes */
export function jsonc(folder, bytes) {
  const plain = 'big.json';
  const commented = 'big.jsonc';
  const entry = (/** @type {number} */ i) =>
    `{"id": ${i}, "name": "entry ${i}", "tags": ["a", "b", {"deep": [1, 2.5, null]}], "text": "some \\"quoted\\" words — and é, ${'x'.repeat(80)}", "on": true}`;
  const count = Math.max(10, Math.round(bytes / (entry(100_000).length + 8)));
  const wanted = Math.round(count * 0.92);
  if (!existsSync(join(folder, plain))) {
    const rows = Array.from({ length: count }, (_, i) => `    ${entry(i)}`);
    const text = `{\n  "version": 1,\n  "entries": [\n${rows.join(',\n')}\n  ]\n}\n`;
    writeFileSync(join(folder, plain), text);
    writeFileSync(
      join(folder, commented),
      text.replace('"entries"', '// all of them\n  "entries"').replaceAll('000, "name"', '000, /* round */ "name"'),
    );
  }
  return { plain, commented, address: `entries/${wanted}/name`, filter: `.entries[${wanted}].name` };
}

/** @param {string} folder @param {number} bytes */
export function yaml(folder, bytes) {
  const file = 'big.yaml';
  const step = (/** @type {number} */ i) =>
    `  - id: step-${i}\n    command: mail.search --limit ${i} # often\n    env:\n      LEVEL: info\n      NAME: "desk ${i}"\n`;
  const count = Math.round(bytes / step(100_000).length);
  writeFileSync(
    join(folder, file),
    `name: triage\nsteps:\n${Array.from({ length: count }, (_, i) => step(i)).join('')}`,
  );
  return { file, address: `steps/${Math.round(count * 0.75)}/env/LEVEL` };
}

/** @param {string} folder @param {number} bytes */
export function markdown(folder, bytes) {
  const file = 'big.md';
  const section = (/** @type {number} */ i) =>
    `## Section ${i}\n\nSome *text* with [a link](x) and \`code\`, over\ntwo lines.\n\n- tool: number ${i}\n  - risk: low\n- other: thing\n\n\`\`\`sh\n## not a heading\n- not: an item\n\`\`\`\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n`;
  const count = Math.round(bytes / section(50_000).length);
  writeFileSync(join(folder, file), `# Big\n\n${Array.from({ length: count }, (_, i) => section(i)).join('')}`);
  return { file, address: `section-${Math.round(count * 0.75)}/tool/risk` };
}
