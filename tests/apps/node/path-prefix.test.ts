/** What `tools.exec.pathPrepend` of a gateway can make a node run without a question, with the real judge. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { approvalDetails } from '../../../src/apps/cli/approvals/approval-text.ts';
import { paint } from '../../../src/apps/terminal/paint.ts';
import { questionAbout } from '../../../src/apps/mcp/question.ts';
import type { ConfigFile } from '../../../src/config/schema/schema.ts';
import type { ApprovalInfo } from '../../../src/wire/approval.ts';
import { GATEWAY, type LinkedNode, linkedNode } from './linked-node.ts';

const JUDGED: ConfigFile = { tools: { exec: { host: 'gateway', safeBins: ['wc', 'head'] } } };

/** A folder that the agent can write, with programs that the operator has never seen. */
function foldersOf({ folder }: LinkedNode): { readonly evil: string; readonly path: string } {
  const evil = join(folder, 'bin');
  mkdirSync(evil, { recursive: true });
  for (const name of ['sh', 'bash', 'uname', 'wc', 'env']) {
    writeFileSync(join(evil, name), '#!/bin/sh\necho replaced\n');
    chmodSync(join(evil, name), 0o755);
  }
  return { evil, path: `${evil}:/usr/bin:/bin` };
}

function allowing({ stateDir }: LinkedNode, ...patterns: readonly string[]): void {
  const agents = { '*': { allowlist: patterns.map((pattern) => ({ pattern })) } };
  writeFileSync(join(stateDir, 'exec-approvals.json'), JSON.stringify({ version: 1, agents }), { mode: 0o600 });
}

/** How the node answered: what the command printed, or the reason of its question or denial. */
async function answerTo(node: LinkedNode, command: string, path: string): Promise<string> {
  const exec = node.connect(GATEWAY).exec(command, { path });
  const result = await exec.result;
  if ('session' in result) return exec.output().trim();
  const { outcome } = result;
  if (outcome.status === 'approval-pending') {
    const { binding, judgement } = outcome.approval;
    return `asks for ${binding.programs.map(({ real }) => real).join(' ')}: ${judgement.reason}`;
  }
  return outcome.status === 'denied' ? `denies: ${outcome.judgement?.reason}` : 'nothing';
}

it('a rule for a program does not allow another one of the same name', async () => {
  const node = await linkedNode(JUDGED);
  const { evil, path } = foldersOf(node);
  allowing(node, '/usr/bin/uname');
  expect(await answerTo(node, 'uname -n', path)).toContain(`asks for ${evil}/uname: `);
});

it('a program of a rule asks, because it may start others from the folder', async () => {
  const node = await linkedNode(JUDGED);
  const { evil, path } = foldersOf(node);
  allowing(node, '/usr/bin/uname');
  expect(await answerTo(node, '/usr/bin/uname -s', '/usr/bin:/bin')).toBe('Linux');
  expect(await answerTo(node, '/usr/bin/uname -s', path)).toBe(
    `asks for /usr/bin/uname: the gateway puts ${evil} before PATH: allowed programs may start others from there`,
  );
});

it('a safe bin is never found in the folder', async () => {
  const node = await linkedNode(JUDGED);
  const { evil, path } = foldersOf(node);
  expect(await answerTo(node, 'wc -c', path)).toContain(`asks for ${evil}/wc: `);
  expect(await answerTo(node, 'head', path)).toContain(`the gateway puts ${evil} before PATH`);
});

it('a folder that the operator of the node lists is like one of the PATH of the node', async () => {
  const node = await linkedNode(JUDGED);
  const { evil, path } = foldersOf(node);
  const terms = { pathPrefixes: [evil] };
  const listed = await linkedNode(JUDGED, { root: join(node.folder, '..'), terms } as never);
  allowing(listed, '/usr/bin/uname', `${evil}/uname`);
  expect(await answerTo(listed, '/usr/bin/uname -s', path)).toBe('Linux');
  expect(await answerTo(listed, 'uname -s', path)).toBe('replaced');
  expect(await answerTo(listed, 'wc -c', path)).toContain(`asks for ${evil}/wc: `);
});

it('where the node runs everything, the folder is used, but never for the shell', async () => {
  const node = await linkedNode();
  const { evil, path } = foldersOf(node);
  expect(await answerTo(node, 'uname -s; echo $PATH', path)).toContain(`replaced\n${evil}:`);
});

it('deny rules are not avoided by a program of another name', async () => {
  const denyRules = [{ pattern: 'uname' }];
  const node = await linkedNode({ tools: { exec: { host: 'gateway', security: 'full', ask: 'off', denyRules } } });
  const { path } = foldersOf(node);
  expect(await answerTo(node, 'env uname -s', path)).toMatch(/^denies: /u);
  expect(await answerTo(node, 'true', path)).toContain('deny rules exist and cannot be checked');
});

it('an answer applies only to the folders before PATH that the question shows', async () => {
  const node = await linkedNode(JUDGED);
  const { evil, path } = foldersOf(node);
  const link = node.connect(GATEWAY);
  const ask = async (before: string): Promise<ApprovalInfo> => {
    const result = await link.exec('/usr/bin/printenv PATH', { path: before }).result;
    if ('session' in result || result.outcome.status !== 'approval-pending') throw new Error('the node does not ask');
    return result.outcome.approval;
  };
  const own = await ask('/usr/bin:/bin');
  const [first, second] = [await ask(path), await ask(path)];
  expect([own.binding.pathPrepend, first.binding.pathPrepend]).toEqual([undefined, [evil]]);
  expect(first.judgement.reason).toBe(`${own.judgement.reason}; the gateway puts ${evil} before PATH`);
  expect(approvalDetails(first, 0, paint(false), false)).toContain(`  before PATH: ${evil}\n`);
  expect(questionAbout(first)?.message).toContain(`  path     ${evil} is before PATH`);
  const stateOf = async ({ id }: ApprovalInfo) => (await node.gateway.call('approval.show', { id })).state;
  await node.gateway.call('approval.resolve', { id: own.id, decision: 'allow-always', by: 'grace' });
  expect([await stateOf(own), await stateOf(first), await stateOf(second)]).toEqual(['allowed', 'pending', 'pending']);
});
