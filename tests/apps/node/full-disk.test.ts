/** The built program on disks that are full: what cannot be recorded is not sent, and does not start. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Home, runPincer } from '../serve/serving.ts';
import { gatewayIn, home, invitedIn, invitedNode, RUNS_ALL, startedGateway } from './machines.ts';
import { smallDisk } from './small-disk.ts';

const SIZE = '16m';
const MOST_TRIES = 50;

/** Runs commands that leave a file, until one fails. Returns the text of the failure. */
async function untilRefused(gateway: Home, workspace: string): Promise<string> {
  for (let i = 0; i < MOST_TRIES; i++) {
    const { code, stdout, stderr } = await runPincer(gateway, ['exec', '--host', 'node', '--', 'touch', `ran-${i}`]);
    console.log(i, code, stdout, stderr, existsSync(join(workspace, `ran-${i}`)));
    expect([i, existsSync(join(workspace, `ran-${i}`))]).toEqual([i, code === 0]);
    if (code !== 0) return stderr;
  }
  throw new Error(`${MOST_TRIES} commands ran with a full disk`);
}

describe('a full disk', () => {
  it('of the node: nothing starts that it cannot record, and all works when there is room', async ({ skip }) => {
    const { gateway } = await startedGateway();
    const node = home(RUNS_ALL);
    const disk = smallDisk(node, SIZE);
    if (disk === undefined) return skip('nothing can be mounted here');
    await invitedIn(node, gateway);
    disk.fill();
    expect(await untilRefused(gateway, node.workspace)).toContain('NODE_CANNOT');
    disk.free();
    const after = await runPincer(gateway, ['exec', '--host', 'node', '--', 'echo', 'hi']);
    expect([after.code, after.stdout, after.stderr]).toEqual([0, 'hi\n', '']);
  });

  it('of the gateway: nothing is sent that it cannot record, and all works when there is room', async ({ skip }) => {
    const gateway = home({ ...RUNS_ALL, nodes: { listen: '127.0.0.1:0' } });
    const disk = smallDisk(gateway, SIZE);
    if (disk === undefined) return skip('nothing can be mounted here');
    await gatewayIn(gateway);
    const { node } = await invitedNode(gateway);
    disk.fill();
    await untilRefused(gateway, node.workspace);
    disk.free();
    const after = await runPincer(gateway, ['exec', '--host', 'node', '--', 'echo', 'hi']);
    expect([after.code, after.stdout, after.stderr]).toEqual([0, 'hi\n', '']);
  });
});
