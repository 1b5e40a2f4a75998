/** The largest documents at once, while others want to know whether the server is well: rows F1 and F2. */
import { expect, test } from 'vitest';
import { healthDuringHeavyCalls } from '../../bench/mcp/heavy.mjs';
import { makeHome, startServer } from '../apps/serve/serving.ts';
import { TIER } from '../support/budget.ts';

const HEAVY_MS = 240_000;
/** The whole documents only where their size is the point; a third of them is enough to see a server that does not answer. */
const SCALE = TIER === 'deep' ? 1 : 0.3;
/** How often health is answered before the heavy calls are, at least. */
const FEWEST_ANSWERS = 20;
const MOST_P99_MS = 100;

test(`F1, F2: ${50 * SCALE} MB of anchored YAML and a line of ${10 * SCALE} MB are two calls, while health is answered and a session goes on`, {
  timeout: HEAVY_MS,
}, async () => {
  const home = makeHome();
  const server = await startServer(home);
  try {
    const { body } = await server.call('exec', { command: 'sleep 600', background: true });
    const { p99, max, bare, answers, outcomes } = await healthDuringHeavyCalls(
      { url: server.base, token: server.token },
      home.workspace,
      SCALE,
    );
    const [yaml = '', markdown = ''] = outcomes;
    expect(['TOOL_TOO_LARGE', 'TOOL_TIMEOUT', ...(SCALE < 1 ? ['answered'] : [])]).toContain(yaml);
    // A busy machine may not finish it by the deadline.
    expect(['answered', 'TOOL_TIMEOUT']).toContain(markdown);
    expect(answers).toBeGreaterThanOrEqual(FEWEST_ANSWERS);
    const poll = await server.call('process', { action: 'poll', sessionId: body.details!['sessionId'] });
    expect(poll.body.details).toMatchObject({ status: 'running' });
    expect(server.child.exitCode).toBeNull();
    if (TIER !== 'deep') return; // times say something only where nothing else runs
    const times = (of: { p99: number; max: number }) => `p99 ${of.p99.toFixed(1)} ms, max ${of.max.toFixed(1)} ms`;
    console.log(`/healthz: ${answers} answers, ${times({ p99, max })}; a bare server beside it: ${times(bare)}`);
    expect(p99 - bare.p99).toBeLessThan(MOST_P99_MS);
  } finally {
    await server.end();
    await home.remove();
  }
});
