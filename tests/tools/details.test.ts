import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { callTool } from '../../src/tools/call.ts';
import { textResult, type Tool, type ToolContext } from '../../src/tools/tool.ts';
import { isFileToolDetail } from '../../src/wire/file-tool-details.ts';
import { object } from '../../src/wire/schema.ts';
import { filesBelow, root } from '../house/sources.ts';

const tool = (name: string): Tool => ({
  name,
  description: '',
  input: object({}),
  effects: 'reads',
  run: async () => textResult('', { path: 'a', elevated: true }),
});
const context = { files: {} } as ToolContext;

it('C8: filters the details of file tools by the list, and keeps all of other tools', async () => {
  expect((await callTool([tool('read')], 'read', {}, context)).details).toEqual({ path: 'a' });
  expect((await callTool([tool('exec')], 'exec', {}, context)).details).toEqual({ path: 'a', elevated: true });
});

it('lists every member in faults of file tools', () => {
  const places = ['src/tools', 'src/text', 'src/hosts/files', 'src/hosts/media'];
  const sources = places.flatMap((place) => filesBelow(place)).filter((path) => !/tools\/(?:exec|process)/u.test(path));
  const unlisted = sources.flatMap((path) => {
    const literals = readFileSync(`${root}/${path}`, 'utf8').matchAll(/\bdetails: \{([^{}]*)\}/gu);
    const members = Array.from(literals, ([, members = '']) => members.matchAll(/(?:^|,)\s*(\w+)\s*(?=[:,]|$)/gu));
    const names = members.flatMap((found) => Array.from(found, ([, name = '']) => name));
    return names.filter((name) => !isFileToolDetail(name)).map((name) => `${path}: ${name}`);
  });
  expect(unlisted).toEqual([]);
});
