// @ts-check
/**
 * The speed of the control page in a real browser: its first paint, new questions, scrolling, output and memory.
 * usage: npm run bench:page [-- --only paint,questions,scroll,output,memory] [-- --scale 0.1]
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeHome, program, startedGateway } from '../nodes/machines.mjs';
import { bundleParts } from '../nodes/parts.mjs';
import { openBrowser } from './browser.mjs';

const argument = (/** @type {string} */ name) => process.argv[process.argv.indexOf(name) + 1];
const only = process.argv.includes('--only') ? argument('--only')?.split(',') : undefined;
const scale = process.argv.includes('--scale') ? Number(argument('--scale')) : 1;
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'pincer-bench-')));
const QUESTIONS = ['paint', 'questions', 'scroll', 'output', 'memory'];

/** @type {[string, string, string][]} */
const summary = [];
try {
  const parts = await import(bundleParts(folder));
  const measurements = await import('./measurements.mjs');
  for (const name of QUESTIONS.filter((each) => only === undefined || only.includes(each))) {
    const own = join(folder, name);
    mkdirSync(own);
    const home = makeHome(join(own, 'gateway'), { nodes: { listen: '127.0.0.1:0' } });
    const gateway = await startedGateway(home);
    const client = await parts.connectGateway({ stateDir: home.stateDir, start: false, program });
    const browser = await openBrowser(own);
    const origin = new URL(gateway.line.page).origin;
    const link = async () => {
      const { code } = await client.call('login.link', { role: 'operator', by: 'bench' });
      return `${origin}/login?${new URLSearchParams({ code })}`;
    };
    try {
      const measure = /** @type {any} */ (measurements)[name];
      summary.push(...(await measure({ home, gateway, client, browser, origin, link, scale })));
    } finally {
      await browser.close();
      client.close();
      await gateway.stop();
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}
console.log('\n| work | promise | seen |\n|---|---|---|');
for (const row of summary) console.log(`| ${row.join(' | ')} |`);
