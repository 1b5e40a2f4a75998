import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { HOME_INSIDE } from '../../../../src/hosts/sandbox/profile.ts';
import { pdfOf } from '../../media/pdf-bytes.ts';
import { openReal } from './stage.ts';

const MIB = 1024 * 1024;
const DOT = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

test('images and PDFs are read inside, by the packages that are bound there', async () => {
  const box = await openReal({ delivered: true });
  const { workspace } = box;
  writeFileSync(join(workspace, 'dot.png'), DOT);
  writeFileSync(join(workspace, 'two.pdf'), pdfOf(['First page', 'Second page']));
  const picture = await box.tool('read', { path: 'dot.png' });
  expect(picture.content.find(({ type }) => type === 'image')).toMatchObject({ mimeType: 'image/png' });
  const pages = await box.tool('read', { path: 'two.pdf' });
  expect(pages.error).toBeUndefined();
  expect(JSON.stringify(pages.content)).toMatch(/First page.*Second page/u);
});

test('a tool that reaches the file size limit reports it, and neither the tool nor the agent ends', async () => {
  const limits = { tmpBytes: 64 * MIB, fileBytes: MIB };
  const box = await openReal({ limits });
  const { workspace, sh } = box;
  await box.tool('write', { path: 'before.txt', content: 'as it was\n' });
  const content = 'x'.repeat(2 * MIB);
  for (const path of ['large.txt', 'before.txt']) {
    expect(await box.tool('write', { path, content })).toMatchObject({
      isError: true,
      error: `cannot write /workspace/${path}: EFBIG: file too large; the old content stays`,
    });
  }
  expect(readFileSync(join(workspace, 'before.txt'), 'utf8')).toBe('as it was\n');
  expect(readdirSync(workspace).filter((name) => /large|before|tmp/u.test(name))).toEqual(['before.txt']);
  expect((await box.tool('write', { path: 'small.txt', content: 'small\n' })).isError).toBeUndefined();
  // A command is told by the signal, as anywhere.
  expect(await sh('head -c 2000000 /dev/zero > by-command.bin; echo $?; cat small.txt')).toMatchObject({
    out: expect.stringMatching(/^(?:.*\n)?(?:153|1)\nsmall\n$/u) as string,
  });
});

test('commands go before the tools, and the tools before the agent, when memory runs out', async () => {
  const box = await openReal();
  await box.tool('write', { path: 'a.txt', content: 'a' });
  const scores =
    'for p in /proc/[0-9]*; do echo "$(tr "\\0" " " <$p/cmdline | grep -o -e --tools -e runner.cjs | tail -1)=$(cat $p/oom_score_adj)"; done';
  const { out } = await box.sh(`cat /proc/self/oom_score_adj; ${scores}`);
  const lines = out.split('\n');
  expect(lines[0]).toBe('500');
  expect(lines).toContain('--tools=100');
  expect(lines).toContain('runner.cjs=0');
  expect((await box.sh('cat /proc/self/oom_score_adj', { pty: true })).out.trim()).toBe('500');
});

test('commands and tools share one home, and the tools stay in the workspace by default', async () => {
  const { link, sh } = await openReal();
  const env = { HOME: HOME_INSIDE };
  expect((await sh('echo kept > ~/notes.txt; cd ~; pwd', { env })).out).toBe(`${HOME_INSIDE}\n`);
  const path = '~/notes.txt';
  expect(await link.callTool('read', { path })).toMatchObject({
    isError: true,
    error: '~/notes.txt is outside /workspace: the path is absolute',
  });
  expect(await link.callTool('read', { path }, { workspaceOnly: false })).toMatchObject({
    content: [{ type: 'text', text: 'kept\n' }],
  });
});
