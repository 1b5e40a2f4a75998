import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { secondsOfProcess } from '../../scripts/processor-time.mjs';
import { connectGateway } from '../../src/apps/client/connect.ts';
import { runs, TIER, timeoutFor } from '../support/budget.ts';
import { daemonPlace, runProgram } from '../support/daemon.ts';

const program = fileURLToPath(new URL('../../dist/pincer.cjs', import.meta.url));
const caller = { agent: 'main', operator: true } as const;
const SESSIONS = runs(50, 500);
/** 5 s for 500 sessions; beside other tests, which share the caches of the processor, the same work takes up to twice as long. */
const MOST_SECONDS = (SESSIONS / 100) * (TIER === 'deep' ? 1 : 2);

test.skipIf(!existsSync(program) || process.platform !== 'linux')(
  `F4: ${SESSIONS} sessions that run at the same time are ended one after another in bounded processor time`,
  { timeout: timeoutFor(240_000) },
  async () => {
    const place = daemonPlace();
    await runProgram(program, place, ['exec', '--', 'true']);
    const client = await connectGateway({ stateDir: place.stateDir, program, start: false });
    const before = secondsOfProcess(client.daemon.pid);
    const context = { caller, folder: place.env['HOME']!, environment: place.env };
    const started: string[] = [];
    for (let i = 0; i < SESSIONS; i++) {
      const outcome = await client.call('exec.start', { request: { command: 'sleep 300', background: true }, context });
      if ('session' in outcome) started.push(outcome.session.id);
    }
    const ends: string[] = [];
    for (const sessionId of started) ends.push((await client.call('session.kill', { caller, sessionId })).status);
    expect(ends).toEqual(Array.from({ length: SESSIONS }, () => 'failed'));
    const seconds = secondsOfProcess(client.daemon.pid) - before;
    if (TIER === 'deep') console.log(`${SESSIONS} sessions: ${seconds.toFixed(2)} s of processor time in the daemon`);
    expect(seconds).toBeLessThan(MOST_SECONDS);
    client.close();
  },
);
