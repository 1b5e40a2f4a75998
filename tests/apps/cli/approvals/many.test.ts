import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { leaveQuestions } from '../../../hosts/approvals/many-open.ts';
import { daemonPlace, runProgram } from '../../../support/daemon.ts';

const PROGRAM = join(import.meta.dirname, '../../../../dist/pincer.cjs');

interface Listed {
  readonly approvals: readonly { readonly binding: { readonly command: string } }[];
  readonly more: number;
}

test('F6: list and status show the newest questions and count the rest', async () => {
  const place = daemonPlace();
  const configFolder = join(place.env['HOME']!, '.config', 'pincer');
  mkdirSync(configFolder, { recursive: true });
  writeFileSync(join(configFolder, 'pincer.jsonc'), '{ tools: { exec: { host: "gateway" } } }');
  await leaveQuestions(place.stateDir, { a: 150, main: 200 });
  const listed = JSON.parse((await runProgram(PROGRAM, place, ['approvals', 'list', '--json'])).stdout) as Listed;
  expect([listed.approvals.length, listed.more, listed.approvals.at(-1)?.binding.command]).toEqual([
    100,
    250,
    'rm -rf main-199',
  ]);
  const few = await runProgram(PROGRAM, place, ['approvals', 'list', '--limit', '2', '--human']);
  expect(few.stdout).toContain('rm -rf main-198');
  expect(few.stdout).toContain('348 older not shown: pincer approvals list --limit 350');
  const status = await runProgram(PROGRAM, place, ['status', '--json']);
  expect(JSON.parse(status.stdout)).toMatchObject({
    daemon: { pendingApprovals: 350 },
    approvals: Array.from({ length: 20 }, (_, number) => ({ command: `rm -rf main-${180 + number}` })),
  });
  const refused = await runProgram(PROGRAM, place, ['call', 'exec', '{"command":"rm -rf one-more"}']);
  expect(refused.stdout).toContain('agent main has 200 open approval requests (approvals.maxOpen is 5)');
});

test('long questions cannot make the list too large for the daemon', async () => {
  const place = daemonPlace();
  await leaveQuestions(place.stateDir, { main: 90 }, { LONG: 'x'.repeat(400_000) });
  const listed = JSON.parse((await runProgram(PROGRAM, place, ['approvals', 'list', '--json'])).stdout) as Listed;
  expect(listed.approvals.at(-1)?.binding.command).toBe('rm -rf main-89');
  expect([listed.approvals.length + listed.more, listed.approvals.length > 20, listed.more > 20]).toEqual([
    90,
    true,
    true,
  ]);
  const shown = await runProgram(PROGRAM, place, ['approvals', 'list', '--human']);
  expect(shown.stdout).toContain(`${listed.more} older not shown: the requests are too long for one list`);
});
