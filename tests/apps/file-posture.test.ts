import { expect, it } from 'vitest';
import type { ToolboxOptions } from '../../src/apps/assemble.ts';
import { filesText } from '../../src/apps/posture.ts';

const BOX = { backend: 'bubblewrap', workspaceAccess: 'ro' } as const;

it.each<[Omit<ToolboxOptions, 'workspace'>, string]>([
  [{}, 'file tools work on this machine, within the workspace'],
  [{ workspaceOnly: false }, 'file tools work on this machine, and outside the workspace'],
  [
    { applyPatch: { enabled: true, workspaceOnly: false } },
    'file tools work on this machine, within the workspace, apply_patch also outside it',
  ],
  [{ applyPatch: { workspaceOnly: false } }, 'file tools work on this machine, within the workspace'],
  [
    { tools: { deny: ['write', 'edit'] } },
    'file tools work on this machine, within the workspace; refused: write, edit',
  ],
  [{ tools: { allow: ['process'] } }, 'file tools are refused: tools.deny or tools.allow denies them'],
])('describes file tools with %j', (options, text) => {
  expect(filesText({ workspace: '/ws', ...options }, {})).toBe(text);
});

it('describes the access in a sandbox, and a missing sandbox', () => {
  const options = { workspace: '/ws', sandboxed: true, workspaceOnly: false };
  const unavailable = { ...BOX, unavailable: 'bwrap was not found' };
  const boxes = [BOX, undefined, 'unknown', unavailable] as const;
  expect(
    boxes.map((box) => filesText(options, box === 'unknown' ? box : box === undefined ? {} : { sandbox: box })),
  ).toEqual([
    'file tools run in the sandbox (bubblewrap), with the workspace for reading',
    'file tools fail: they must run in a sandbox, and sandboxing is off in the daemon',
    'file tools run only in a sandbox, which the daemon starts',
    'file tools fail: they must run in a sandbox (bubblewrap), and bwrap was not found',
  ]);
});

it('describes the node of the file tools by the value that routes', () => {
  const options = { workspace: '/ws', sandboxed: true, node: 'mac' };
  const nodes = [
    { name: 'mac', workspace: '/home/me/work', access: 'rw' },
    { name: 'mac', workspace: '/home/me/work', access: 'ro' },
    { name: 'mac', unavailable: 'node mac is not connected; nothing was sent' },
  ] as const;
  expect([...nodes.map((filesNode) => filesText(options, { filesNode })), filesText(options, 'unknown')]).toEqual([
    'file tools work on the files of node mac, within its workspace /home/me/work',
    'file tools work on the files of node mac, within its workspace /home/me/work, and only read',
    'file tools fail: they must work on node mac, and node mac is not connected; nothing was sent',
    'file tools work only on the files of node mac',
  ]);
});
