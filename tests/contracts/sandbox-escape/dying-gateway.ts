/**
 * A gateway as a process of its own, to be killed or to be run by another user: opens a sandbox, runs a command in it, says
 * what came of it in one line of JSON, and waits.
 */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SandboxLimits } from '../../../src/wire/sandbox.ts';
import { putPrograms } from './programs.ts';
import { openBox } from './box.ts';
import { liveUntilKilled } from '../../support/until.ts';
import { makeBackend, type Setup } from './setup.ts';

/** Its first argument, as JSON. */
export interface GatewayArguments {
  readonly setup: Omit<Setup, 'scratch' | 'hidden'>;
  readonly command: string;
  /** Where the programs of the attacks are. */
  readonly programs?: string;
  readonly limits?: Partial<SandboxLimits>;
}

const { setup, command, programs, limits } = JSON.parse(process.argv[2] ?? '') as GatewayArguments;
const folder = mkdtempSync(join(tmpdir(), 'pincer-gateway-'));
const workspace = join(folder, 'workspace');
mkdirSync(workspace);
writeFileSync(join(workspace, 'a.txt'), 'a');
if (programs !== undefined) putPrograms(programs, workspace);
const box = await openBox(makeBackend({ ...setup, scratch: folder, hidden: [] }), {
  workspace,
  limits: { tmpBytes: 32 * 1024 * 1024, ...limits },
});
const { code, out } = await box.sh(command);
process.stdout.write(`${JSON.stringify({ folder, code, out, pid: box.opened.pid })}\n`);
liveUntilKilled();
