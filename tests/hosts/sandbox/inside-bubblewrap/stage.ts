/** A sandbox of the real profile with the agent in it, for what only shows there. */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { createBubblewrap } from '../../../../src/hosts/sandbox/bubblewrap.ts';
import { provisions } from '../../../../src/hosts/sandbox/provisions.ts';
import { builtScript } from '../../../support/built.ts';
import { type Box, type BoxOptions, hostFolder, openBox } from '../../../contracts/sandbox-escape/box.ts';

/** The agent as it is delivered, with the reader of PDFs beside it. */
const DELIVERED = fileURLToPath(new URL('../../../../dist/runner/runner.cjs', import.meta.url));

const MIB = 1024 * 1024;

/** Opens one, and ends it with the test. */
export async function openReal(options: BoxOptions & { readonly delivered?: true } = {}): Promise<Box> {
  const { delivered, ...rest } = options;
  const scratch = hostFolder('scratch');
  const workspace = join(scratch, 'workspace');
  mkdirSync(workspace);
  const runner = delivered === true ? DELIVERED : builtScript('runner');
  const backend = createBubblewrap({ provisions: () => provisions({ runner }), hidden: [], scratch });
  const box = await openBox(backend, { workspace, limits: { tmpBytes: 64 * MIB }, ...rest });
  onTestFinished(async () => {
    await box.end();
    rmSync(scratch, { recursive: true, force: true });
  });
  return box;
}
