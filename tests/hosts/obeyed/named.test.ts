import { expect, it } from 'vitest';
import { pathsNamedBy, wordsIn } from '../../../src/hosts/obeyed/named.ts';
import { ObeyedBudget } from '../../../src/hosts/obeyed/obeyed-budget.ts';
import { withoutPauses } from '../../../src/hosts/obeyed/pauses.ts';
import { scanObeyed } from '../../../src/hosts/obeyed/scan.ts';
import { withUnescaped } from '../../../src/hosts/obeyed/text-forms.ts';
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
  expect(wordsIn(withUnescaped(text))).toContain(word);
});

function namedIn(files: Readonly<Record<string, string>>) {
  const folder = makeFolder(files);
  const { paths, unsearched } = withoutPauses(pathsNamedBy(scanObeyed(folder).found[0]!, folder, new ObeyedBudget()));
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

it('resolves from each folder that a command changes to, or reports that there are too many', () => {
  const six = [1, 2, 3, 4, 5, 6];
  const files = Object.fromEntries(six.map((i) => [`t${i}/b.sh`, '']));
  const text = six.map((i) => `cd t${i} && ./b.sh; cd ..; PATH_add p${i}`).join('\n');
  const folder = makeFolder({ ...files, '.envrc': text });
  const { paths, folders } = withoutPauses(pathsNamedBy(scanObeyed(folder).found[0]!, folder, new ObeyedBudget()));
  expect(paths).toEqual(expect.arrayContaining(six.map((i) => `t${i}/b.sh`)));
  expect(folders).toEqual(six.map((i) => `p${i}`));
  const many = Array.from({ length: 4_900 }, (_, i) => `w${i}`).join(' ');
  const changes = Array.from({ length: 40 }, (_, i) => `cd t${i}`).join('\n');
  const changed = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`t${i}/x`, '']));
  expect(namedIn({ ...changed, '.envrc': `${changes}\n${many}` }).unsearched).toEqual([
    { path: '.envrc', why: 'this file and the files before it have too much text to search for scripts' },
  ]);
});

it('leaves out project code, and what is not below the top', () => {
  expect(namedIn({ '.envrc': 'source package.json ../x.sh /etc/x.sh' }).paths).toEqual(['etc/x.sh']);
});

it('reports a file that is too long, and a folder with too many files', () => {
  expect(namedIn({ '.envrc': 'x'.repeat(300 * 1024) }).unsearched).toEqual([
    { path: '.envrc', why: 'it is too long to search for the scripts that it names' },
  ]);
  const many = Object.fromEntries(Array.from({ length: 257 }, (_, i) => [`.husky/${i}`, '']));
  const words = Array.from({ length: 4_000 }, (_, i) => `w${i}`).join(' ');
  const files = Object.fromEntries([1, 2, 3, 4, 5, 6].map((i) => [`.husky/${i}`, words]));
  expect(namedIn(files).unsearched).toEqual([
    { path: '.husky/6', why: 'this file and the files before it have too much text to search for scripts' },
  ]);
  expect(namedIn(many).unsearched).toEqual([{ path: '.husky', why: 'it has more than 256 files' }]);
});

it('R3-2: reads so many characters of all files together, whatever their words are', () => {
  const files = Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`.husky/${10 + i}`, 'ab '.repeat(87_000)]));
  expect(namedIn(files).unsearched).toEqual([
    { path: '.husky/26', why: 'this file and the files before it have too much text to search for scripts' },
  ]);
});
