import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { connectGateway } from '../../../src/apps/client/connect.ts';
import { daemonPlace, runProgram } from '../../support/daemon.ts';

const program = fileURLToPath(new URL('../../../dist/pincer.cjs', import.meta.url));
const caller = { agent: 'main', operator: true } as const;
const SESSIONS = 100;
/** 5 s for 500 sessions on a machine with nothing else to do; a busy one needs up to twice the time for the same work. */
const MOST_SECONDS = 2;

/** Processor time of a process so far: fields 14 and 15 of its stat, in hundredths of a second. */
function processorSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const [user = 0, system = 0] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
    .map(Number);
  return (user + system) / 100;
}

test.skipIf(!existsSync(program) || process.platform !== 'linux')(
  `F4: ${SESSIONS} sessions that run at the same time are ended one after another in bounded processor time`,
  async () => {
    const place = daemonPlace();
    await runProgram(program, place, ['exec', '--', 'true']);
    const client = await connectGateway({ stateDir: place.stateDir, program, start: false });
    const before = processorSeconds(client.daemon.pid);
    const context = { caller, folder: place.env['HOME']!, environment: place.env };
    const started: string[] = [];
    for (let i = 0; i < SESSIONS; i++) {
      const outcome = await client.call('exec.start', { request: { command: 'sleep 300', background: true }, context });
      if ('session' in outcome) started.push(outcome.session.id);
    }
    const ends: string[] = [];
    for (const sessionId of started) ends.push((await client.call('session.kill', { caller, sessionId })).status);
    expect(ends).toEqual(Array.from({ length: SESSIONS }, () => 'failed'));
    expect(processorSeconds(client.daemon.pid) - before).toBeLessThan(MOST_SECONDS);
    client.close();
  },
);
