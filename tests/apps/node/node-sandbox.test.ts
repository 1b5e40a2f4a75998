/** The built program with `node.sandbox`: commands of a gateway run in a sandbox of the node, or not at all. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { NodeInfo } from '../../../src/wire/nodes/node.ts';
import { until } from '../../support/patience.ts';
import { whyNoBubblewrap } from '../../support/sandbox.ts';
import { PROGRAM, runPincer } from '../serve/serving.ts';
import { home, invitedNode, json, RUNS_ALL, started, startedGateway } from './machines.ts';

const isMissing = (await whyNoBubblewrap()) !== undefined;
const SANDBOXED = { node: { sandbox: true }, sandbox: { workspaceAccess: 'rw' } };
const ON_NODE = ['exec', '--host', 'node', '--'] as const;

describe.skipIf(isMissing)('pincer node run with node.sandbox', () => {
  it('runs commands of the gateway in a sandbox, without a question and without files of the node', async () => {
    const { gateway } = await startedGateway();
    const { node } = await invitedNode(gateway, SANDBOXED);
    const secret = join(node.folder, 'secret');
    writeFileSync(secret, 'x');
    const script = `pwd; id -un; cat '${secret}'; ls /workspace; : > made; echo "$0 $HOME"; exit 3`;
    writeFileSync(join(node.workspace, 'there'), '');
    const ran = await runPincer(gateway, [...ON_NODE, 'sh', '-c', script]);
    expect([ran.code, ran.stdout]).toEqual([
      3,
      expect.stringMatching(/^\/workspace\n[\s\S]*there\nsh \/tmp\/home\n$/u),
    ]);
    expect(ran.stderr).toContain('No such file or directory');
    expect(ran.stderr).not.toContain('has no effect');
    expect(existsSync(join(node.workspace, 'made'))).toBe(true);
    expect((await runPincer(node, ['approvals', 'list', '--human'])).stdout).not.toContain('sh -c');
    const { gateway: paired } = (await json(node, ['node', 'status'])) as { readonly gateway: { readonly id: string } };
    expect(await json(node, ['sandbox', 'list'])).toMatchObject([{ owner: `${paired.id}/main` }]);
  });

  it('says so on both machines', async () => {
    const { gateway } = await startedGateway();
    const { node, running } = await invitedNode(gateway, SANDBOXED);
    expect(running.lines.at(-1)).toMatchObject({ sandbox: true });
    expect((await runPincer(gateway, ['nodes', 'show', 'n', '--human'])).stdout).toContain(
      'exec in a sandbox, files rw',
    );
    expect((await runPincer(node, ['node', 'status', '--human'])).stdout).toContain(
      `commands    in a sandbox with the workspace ${node.workspace}`,
    );
    const explained = await json(gateway, ['policy', 'explain', '--host', 'node', 'make']);
    expect(explained).toMatchObject({
      verdict: 'allow',
      reason: 'node n: the command runs in a sandbox, which limits it, and is not judged',
    });
    await json(node, ['config', 'set', 'node.sandbox', 'false']);
    const offers = async () => ((await json(gateway, ['nodes', 'show', 'n'])) as NodeInfo).offer;
    await until(async () => !('sandbox' in (await offers())), 'the new offer');
    expect((await runPincer(gateway, [...ON_NODE, 'uname'])).code).toBe(4);
  });

  it('has terminals, stdin and sessions that end as others do', async () => {
    const { gateway } = await startedGateway();
    await invitedNode(gateway, SANDBOXED);
    const tty = await runPincer(gateway, [
      'exec',
      '--host',
      'node',
      '--pty',
      '--',
      'sh',
      '-c',
      'test -t 0 && echo tty',
    ]);
    expect(tty.stdout).toContain('tty');
    const child = spawn(process.execPath, [PROGRAM, ...ON_NODE, 'cat'], { cwd: gateway.workspace, env: gateway.env });
    let echoed = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (echoed += text));
    child.stdin.end('hello');
    expect(await once(child, 'close')).toEqual([0, null]);
    expect(echoed).toBe('hello');
    const background = ['exec', '--host', 'node', '--background', '--', 'sleep', '600'];
    expect((await runPincer(gateway, background)).code).toBe(0);
    const [session] = (await json(gateway, ['ps'])) as readonly { readonly id: string }[];
    expect((await runPincer(gateway, ['kill', session!.id])).code).toBe(0);
    expect(await json(gateway, ['ps', '--all'])).toContainEqual(
      expect.objectContaining({ id: session!.id, failure: 'killed' }),
    );
  });

  it('runs nothing that a rule of either machine forbids', async () => {
    const denyRules = [{ pattern: '/usr/bin/uname' }];
    const { gateway } = await startedGateway({ tools: { exec: { ...RUNS_ALL.tools.exec, denyRules } } });
    const { node } = await invitedNode(gateway, SANDBOXED);
    const denied = await runPincer(gateway, [...ON_NODE, 'uname']);
    expect([denied.code, denied.stderr]).toEqual([1, expect.stringContaining('a deny rule')]);
    expect((await runPincer(gateway, [...ON_NODE, 'ls'])).code).toBe(0);
    // A program may start what a variable names.
    const command = ['exec', '--host', 'node', '--env', 'GIT_EXTERNAL_DIFF=uname', '--', 'git', 'diff'];
    const indirect = await runPincer(gateway, command);
    expect([indirect.code, indirect.stderr]).toEqual([1, expect.stringContaining('the variable GIT_EXTERNAL_DIFF')]);
    const rules = { version: 1, defaults: { security: 'deny' } };
    writeFileSync(join(node.stateDir, 'exec-approvals.json'), JSON.stringify(rules), { mode: 0o600 });
    const all = await runPincer(gateway, [...ON_NODE, 'ls']);
    expect([all.code, all.stderr]).toEqual([1, expect.stringContaining('security is deny')]);
    const { stdout: audit } = await runPincer(node, ['events', '--audit']);
    expect(audit).toContain('security-deny');
  });
});

describe('pincer node run with node.sandbox, without a sandbox', () => {
  it('refuses every command with the reason, and says so on both machines', async () => {
    const { gateway } = await startedGateway();
    const sandbox = { backend: 'docker', docker: { host: 'unix:///does/not/exist.sock', image: 'x' } };
    const { node } = await invitedNode(gateway, { ...RUNS_ALL, node: { sandbox: true }, sandbox });
    const refused = await runPincer(gateway, [...ON_NODE, 'touch', 'ran']);
    expect(refused.code).toBe(3);
    expect(refused.stderr).toContain('NODE_CANNOT');
    expect(refused.stderr).toContain('cannot create one: ');
    expect(refused.stderr).toContain('node.sandbox');
    expect(existsSync(join(node.workspace, 'ran'))).toBe(false);
    expect((await runPincer(gateway, ['nodes', 'show', 'n', '--human'])).stdout).toContain(
      'exec off, because no sandbox works there',
    );
    expect((await runPincer(node, ['node', 'status', '--human'])).stdout).toContain(
      'commands    none: node.sandbox is true, and no sandbox works',
    );
    expect((await runPincer(node, ['ps', '--all', '--human'])).stdout).not.toContain('touch');
    expect((await runPincer(gateway, ['doctor', '--human'])).stdout).toContain('node n refuses commands');
  });

  it('refuses a workspace that no sandbox may have', async () => {
    const { gateway } = await startedGateway();
    const node = home({ ...RUNS_ALL, node: { sandbox: true }, sandbox: { workspaceAccess: 'rw' } });
    const { invitation } = (await json(gateway, ['nodes', 'invite'])) as { readonly invitation: string };
    const running = started(node, ['node', 'run', '--invitation', invitation, '--name', 'n']); // works in the home folder
    await until(() => running.state() === 'connected', 'the connection');
    const refused = await runPincer(gateway, [...ON_NODE, 'touch', 'ran']);
    expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining('NODE_CANNOT')]);
    expect(existsSync(join(node.folder, 'ran'))).toBe(false);
  });
});
