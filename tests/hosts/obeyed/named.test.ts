import { expect, it } from 'vitest';
import { pathsNamedBy, wordsIn } from '../../../src/hosts/obeyed/named.ts';
import { ObeyedBudget } from '../../../src/hosts/obeyed/obeyed-budget.ts';
import { atOnce } from '../../../src/hosts/obeyed/pauses.ts';
import { scanObeyed } from '../../../src/hosts/obeyed/scan.ts';
import { withMeant } from '../../../src/hosts/obeyed/named.ts';
import { makeFolder } from '../../support/folder.ts';

it.each([
  ['source_env_if_exists .envrc.local', '.envrc.local'],
  ['. ./scripts/env.sh', './scripts/env.sh'],
  [String.raw`"command": "\"$CLAUDE_PROJECT_DIR\"/scripts/hook.sh"`, '/scripts/hook.sh'],
  ['"command": "\u0024{CLAUDE_PROJECT_DIR:-.}/scripts/hook.sh --x"', '/scripts/hook.sh'],
  ['source "$(dirname "$0")/_/husky.sh"', '/_/husky.sh'],
  ["source 'my env.sh'", 'my env.sh'],
  ['source ümläut.sh', 'ümläut.sh'],
  ['A=1;source x.sh&&y', 'x.sh'],
  [String.raw`"command": ""$CLAUDE_PROJECT_DIR/my hooks/x.sh""`, '/my hooks/x.sh'],
  [String.raw`"command": "scripts\/hook.sh"`, 'scripts/hook.sh'],
  [String.raw`source ./other\ env.sh`, './other env.sh'],
])('in %j the word %j is found', (text, word) => {
  expect(wordsIn(withMeant(text))).toContain(word);
});

function namedIn(files: Readonly<Record<string, string>>) {
  const folder = makeFolder(files);
  const { paths, unsearched } = atOnce(pathsNamedBy(scanObeyed(folder).found[0]!, folder, new ObeyedBudget()));
  return { paths: paths.filter((path) => path.includes('.sh') || path.includes('.json')), unsearched };
}

it('resolves from the top, the folder of what was found, and the folder of the file', () => {
  expect(namedIn({ 'app/.claude/settings.json': '{"a": "$X/run.sh"}' }).paths.sort()).toEqual([
    'app/.claude/run.sh',
    'app/run.sh',
    'run.sh',
  ]);
});

it('R3-15: resolves from a folder that a command changes to, or a server is started in', () => {
  const files = { 'tools/b.sh': '' };
  for (const text of ['{"command": "./b.sh", "cwd": "tools"}', '{"command": "cd tools && ./b.sh"}'])
    expect(namedIn({ ...files, '.mcp.json': text }).paths).toContain('tools/b.sh');
});

it('leaves out project code, and what is not below the top', () => {
  expect(namedIn({ '.envrc': 'source package.json ../x.sh /etc/x.sh' }).paths).toEqual(['etc/x.sh']);
});

it('says when a file is too long, or a folder has too many', () => {
  expect(namedIn({ '.envrc': 'x'.repeat(300 * 1024) }).unsearched).toEqual([
    { path: '.envrc', why: 'it is too long to find the scripts that it names' },
  ]);
  const many = Object.fromEntries(Array.from({ length: 257 }, (_, i) => [`.husky/${i}`, '']));
  const words = Array.from({ length: 4_000 }, (_, i) => `w${i}`).join(' ');
  const files = Object.fromEntries([1, 2, 3, 4, 5, 6].map((i) => [`.husky/${i}`, words]));
  expect(namedIn(files).unsearched).toEqual([
    { path: '.husky/6', why: 'this file and those before it have too much text to find the scripts in it' },
  ]);
  expect(namedIn(many).unsearched).toEqual([{ path: '.husky', why: 'it has more than 256 files' }]);
});

it('R3-2: reads so many characters of all files together, whatever their words are', () => {
  const files = Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`.husky/${10 + i}`, 'ab '.repeat(87_000)]));
  expect(namedIn(files).unsearched).toEqual([
    { path: '.husky/26', why: 'this file and those before it have too much text to find the scripts in it' },
  ]);
});
