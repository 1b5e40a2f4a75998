/** Podman of a user without rights, who runs the gateway, too. */
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { engineAt } from '../../../../src/hosts/sandbox/container/engine.ts';
import { factsOf } from '../../../../src/hosts/sandbox/container/facts.ts';
import { gatewayProcess } from '../../../contracts/sandbox-escape/gateway.ts';
import { IMAGE, OURSELVES, startEngine, type RunningEngine } from '../../../support/engines/engine.ts';
import { builtScript } from '../../../support/built.ts';

const USER = OURSELVES === 0 ? 65534 : OURSELVES;
const started = await startEngine('podman', USER);
afterAll(() => started.stop(), 60_000);

const reason = started.trouble === undefined ? '' : ` (not run: ${started.trouble})`;

describe.skipIf(started.trouble !== undefined)(`a podman container without root${reason}`, () => {
  const { name: backend, socket } = started as RunningEngine;
  const setup = async () => ({ backend, socket, image: IMAGE, runner: builtScript('runner') });

  it('isolates a command as a rootful engine does, and writes as its user', async () => {
    const gateway = await gatewayProcess(await setup(), {
      command:
        "id -u; cat a.txt; echo; touch b.txt; touch /etc/x; grep -E '^(CapBnd|NoNewPrivs|Seccomp:)' /proc/self/status | cut -f2; tail -n +3 /proc/net/dev | cut -d: -f1; setsid sleep 1000 &",
      uid: USER,
    });
    onTestFinished(() => gateway.end());
    const { out, folder, pid } = gateway.said;
    expect(out).toBe('0\na\ntouch: /etc/x: Read-only file system\n0000000000000000\n1\n2\n    lo\n');
    expect(statSync(join(folder, 'workspace', 'b.txt')).uid).toBe(USER);
    expect(existsSync(`/proc/${pid}`)).toBe(true);
    gateway.process.kill('SIGKILL');
    await expect.poll(() => existsSync(`/proc/${pid}`)).toBe(false);
  });

  it('refuses limits that it would accept and not enforce', async () => {
    // With control groups of the second version, delegated to the user, they would be held.
    const { memory } = await factsOf(engineAt(socket, '1.41'), backend);
    const asked = gatewayProcess(await setup(), { command: 'true', uid: USER, limits: { memoryBytes: 1e8 } });
    if (memory) await asked.then((gateway) => gateway.end());
    else await expect(asked).rejects.toThrow(/SANDBOX_LIMIT_UNENFORCEABLE/u);
  });
});
