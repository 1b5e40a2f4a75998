import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { isOrphan, gatewayLabel } from '../../../../src/hosts/sandbox/container/gateway-label.ts';
import { startTimeOf } from '../../../../src/hosts/process/start-time.ts';

const [boot = '', view = ''] = gatewayLabel().split(' ');

describe('a container of', () => {
  it('this gateway is not an orphan', () => {
    expect(isOrphan(gatewayLabel(), true)).toBe(false);
  });

  it('a gateway is an orphan as soon as that has ended', async () => {
    const child = spawn('sleep', ['60'], { stdio: 'ignore' });
    await once(child, 'spawn');
    const label = `${boot} ${view} ${child.pid} ${startTimeOf(child.pid ?? 0)}`;
    expect(isOrphan(label, true)).toBe(false);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(isOrphan(label, true)).toBe(true);
  });

  it.each([
    ['a later process with the same number', `${boot} ${view} ${process.pid} 1`, true, true],
    ['a gateway that counts processes otherwise', `${boot} pid:[1] ${process.pid} 1`, true, false],
    ['an earlier boot, still running', `other ${view} ${process.pid} 1`, true, false],
    ['an earlier boot, not running', `other ${view} ${process.pid} 1`, false, true],
    ['nobody', '', true, false],
    ['something else', 'a b c d', true, false],
    ['the first process without a start', `${boot} ${view} 1 `, true, false],
  ])('%s', (_, label, isRunning, expected) => {
    expect(isOrphan(label, isRunning)).toBe(expected);
  });
});
