// @ts-check
import { framesDuring, logIn, quantile } from './browser.mjs';

/**
 * @typedef {{ home: import('../nodes/machines.mjs').Home, gateway: any, client: any, origin: string, scale: number,
 *   browser: import('playwright-core').BrowserContext, link: () => Promise<string> }} Bench
 * @typedef {Promise<[string, string, string][]>} Rows
 */

const AGENTS = 200;
const ROUNDS = 15;

/** First paint of the page and of a page without script from the same server, in turn. @param {Bench} bench @returns {Rows} */
export async function paint({ browser, link, origin }) {
  const page = await browser.newPage();
  await logIn(page, await link());
  /** @type {Record<'page' | 'plain', number[]>} */
  const times = { page: [], plain: [] };
  for (let i = -2; i < ROUNDS; i++) {
    for (const [name, path] of /** @type {const} */ ([
      ['page', '/'],
      ['plain', '/login?code=none'],
    ])) {
      await page.goto(origin + path);
      const at = await page.evaluate(
        () =>
          new Promise((resolve) => {
            new PerformanceObserver((list) => {
              const [entry] = list.getEntriesByName('first-contentful-paint');
              if (entry !== undefined) resolve(entry.startTime);
            }).observe({ type: 'paint', buffered: true });
          }),
      );
      if (i >= 0) times[name].push(Number(at));
    }
  }
  const own = quantile(times.page, 0.5);
  const plain = quantile(times.plain, 0.5);
  console.log(`first paint: page ${own.toFixed(0)} ms, plain ${plain.toFixed(0)} ms`);
  return [
    [
      'first paint against a page without script from the same server',
      '2 x',
      `${(own / plain).toFixed(2)} x (${own.toFixed(0)} ms)`,
    ],
  ];
}

/** From the request of an agent to the count in the rail. @param {Bench} bench @returns {Rows} */
export async function questions({ home, client, browser, link, scale }) {
  const count = Math.max(50, Math.round(1000 * scale));
  const page = await browser.newPage();
  await logIn(page, await link());
  await page.evaluate(() => {
    const seen = /** @type {number[]} */ ([]);
    /** @type {any} */ (globalThis).benchSeen = seen;
    const rail = /** @type {Element} */ (document.querySelector('nav a[href="/"]'));
    new MutationObserver(() => {
      const shown = Number(/\d+/u.exec(rail.textContent ?? '')?.[0] ?? 0);
      // The next frame has it on the screen.
      requestAnimationFrame(() => {
        for (let n = seen.length + 1; n <= shown; n++) seen.push(Date.now());
      });
    }).observe(rail, { subtree: true, childList: true, characterData: true });
  });
  const asked = [];
  for (let i = 0; i < count; i++) {
    asked.push(Date.now());
    const context = { caller: { agent: `a${i % AGENTS}` }, folder: home.workspace, environment: home.environment };
    const { status } = await client.call('exec.start', { request: { command: `ls /${i}`, host: 'gateway' }, context });
    if (status !== 'approval-pending') throw new Error(`question ${i}: ${status}`);
  }
  await page.waitForFunction((all) => /** @type {any} */ (globalThis).benchSeen.length >= all, count);
  const seen = await page.evaluate(() => /** @type {number[]} */ (/** @type {any} */ (globalThis).benchSeen));
  const times = asked.map((at, i) => (seen[i] ?? Number.NaN) - at);
  return [
    [
      `a new question is on the page, ${count} questions of ${AGENTS} agents: p50; p99`,
      'p99 100 ms',
      `${quantile(times, 0.5).toFixed(0)} ms; ${quantile(times, 0.99).toFixed(0)} ms`,
    ],
  ];
}

/** @param {Bench} bench @returns {Rows} */
export async function scroll({ home, client, browser, link, origin, scale }) {
  const rows = Math.max(500, Math.round(5000 * scale));
  for (let i = 0; i < rows; i++) await client.call('login.record', { by: 'bench', details: { method: `row ${i}` } });
  const context = { caller: { agent: 'main' }, folder: home.workspace, environment: home.environment };
  for (let i = 0; i < AGENTS * Math.min(1, scale); i++)
    await client.call('exec.start', { request: { command: 'true', host: 'gateway' }, context });
  const page = await browser.newPage();
  await logIn(page, await link());
  const idle = await framesDuring(page, () => page.waitForTimeout(1500));
  /** @type {[string, string, string][]} */
  const found = [];
  for (const [name, path, selector] of [
    [`${rows} audit rows`, '/audit', '.virtual-table'],
    [`${AGENTS} sessions`, '/sessions', '.list'],
  ]) {
    await page.goto(origin + path);
    await page.locator(selector ?? '').waitFor();
    await page.waitForTimeout(1000);
    const frames = await framesDuring(page, () =>
      page.evaluate(
        (wanted) =>
          new Promise((resolve) => {
            const list = /** @type {Element} */ (document.querySelector(wanted));
            let step = 0;
            const next = () => {
              list.scrollTop = (list.scrollHeight * step++) / 120;
              if (step <= 120) requestAnimationFrame(next);
              else resolve(undefined);
            };
            next();
          }),
        selector ?? '',
      ),
    );
    found.push([
      `scrolling ${name}: the longest of 120 frames (an idle page: ${idle.longest.toFixed(0)} ms)`,
      '50 ms',
      `${frames.longest.toFixed(0)} ms`,
    ]);
  }
  return found;
}

/** A terminal that prints while the page shows it. @param {Bench} bench @returns {Rows} */
export async function output({ home, client, browser, link, origin, scale }) {
  const bytes = Math.round(50_000_000 * scale);
  const context = { caller: { agent: 'main' }, folder: home.workspace, environment: home.environment };
  const page = await browser.newPage();
  await logIn(page, await link());
  const request = { command: `yes pincer | head -c ${bytes}`, host: 'gateway', background: true, pty: true };
  const { session } = await client.call('exec.start', { request, context });
  await page.goto(`${origin}/sessions/${session.id}`);
  const began = performance.now();
  const frames = await framesDuring(page, () => page.getByText('Code 0').first().waitFor({ timeout: 120_000 }));
  const seconds = (performance.now() - began) / 1000;
  return [
    [
      `a terminal with ${bytes / 1e6} MB of output: p99 of its frames; the longest`,
      'responsive',
      `${frames.p99.toFixed(0)} ms; ${frames.longest.toFixed(0)} ms (${seconds.toFixed(1)} s)`,
    ],
  ];
}

/** @param {Bench} bench @returns {Rows} */
export async function memory({ gateway, browser, link }) {
  const first = await browser.newPage();
  await logIn(first, await link());
  const before = (await gateway.health()).rss;
  const pages = 7; // a login has at most eight
  for (let i = 0; i < pages; i++) {
    const page = await browser.newPage();
    await page.goto(first.url());
    await page.getByText('Live', { exact: true }).waitFor();
  }
  const after = (await gateway.health()).rss;
  return [['memory of the gateway for each open page', '3 MB', `${((after - before) / pages).toFixed(2)} MB`]];
}
