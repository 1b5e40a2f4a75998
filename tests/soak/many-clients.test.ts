/** Thousands of calls through one server by clients of many names, with few descriptors: row F5. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Home, makeHome, type Server, startServer } from '../apps/serve/serving.ts';
import { runs, TIER, timeoutFor } from '../support/budget.ts';
import { growthOf, lineOf, type Reading, readingOf, SOAKED } from './readings.ts';

const CLIENTS = 40;
const ROUNDS = Math.ceil(runs(600, 10_000) / CLIENTS);
const READINGS = 16;
const READ_EVERY = Math.ceil(ROUNDS / READINGS);

let home: Home;
let server: Server;
const clients: SoakClient[] = [];
beforeAll(async () => {
  home = makeHome();
  writeFileSync(
    join(home.workspace, 'anchored.yaml'),
    `x: &anchor 1\n${'# more than is read in a shared process\n'.repeat(1_000)}`,
  );
  server = await startServer(home, [], SOAKED);
  for (let i = 0; i < CLIENTS; i++) clients.push(await connected(i));
});
afterAll(async () => {
  for (const { client } of clients) await client.close();
  await server.end();
  await home.remove();
});

interface SoakClient {
  readonly client: Client;
  readonly number: number;
  /** The word in the file that it edits. */
  word: string;
}

async function connected(number: number): Promise<SoakClient> {
  writeFileSync(join(home.workspace, `edited-${number}.txt`), 'the word is one\n');
  writeFileSync(join(home.workspace, `set-${number}.json`), '{ "count": 0 }\n');
  const mode = number % 2 === 0 ? 'legacy' : 'auto';
  const client = new Client({ name: `client-${number}`, version: '1' }, { versionNegotiation: { mode } });
  const requestInit = { headers: { Authorization: `Bearer ${server.token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${server.base}/mcp`), { requestInit }));
  return { client, number, word: 'one' };
}

type Details = Readonly<Record<string, unknown>>;

/** Of 20 calls 14 read a small file; the others write, edit, set, run commands and read what needs a worker. */
async function makeCall(soaked: SoakClient, round: number): Promise<string | undefined> {
  const { client, number, word } = soaked;
  const failures: string[] = [];
  const call = async (name: string, args: Details): Promise<Details> => {
    const { content, isError, structuredContent } = await client.callTool({ name, arguments: args });
    if (isError === true) failures.push(`${name} ${JSON.stringify(args)}: ${JSON.stringify(content)}`);
    return (structuredContent ?? {}) as Details;
  };
  switch ((round + number) % 20) {
    case 0:
      await call('exec', { command: `echo ${round}` });
      break;
    case 3: {
      const { sessionId } = await call('exec', { command: 'sleep 600', background: true });
      await call('process', { action: 'kill', sessionId });
      await call('process', { action: 'poll', sessionId });
      break;
    }
    case 6:
      await call('write', { path: `written-${number}.txt`, content: `round ${round}\n` });
      break;
    case 9:
      soaked.word = word === 'one' ? 'two' : 'one';
      await call('edit', { path: `edited-${number}.txt`, oldText: `is ${word}`, newText: `is ${soaked.word}` });
      break;
    case 12:
      await call('path', { verb: 'set', path: `oc://set-${number}.json/count`, valueJson: `${round}` });
      break;
    case 15:
      await call('path', { verb: 'resolve', path: 'oc://anchored.yaml/x' });
      break;
    default:
      await call('read', { path: 'a.txt' });
  }
  return failures[0];
}

const MOST_LIVE_BYTES = 4 << 20;
/** Toolboxes, connections and sessions come and go; none of them is kept for a call. */
const MOST_DESCRIPTORS = 32;
/** A worker keeps the workspaces of eight clients open. */
const MOST_WORKER_DESCRIPTORS = 64;
/** The record of changes and the audit log keep a row of each change and command, up to bounds of their own. */
const MOST_DISK_BYTES_PER_CALL = 512;
/** A call at the end may take no more processor time than one at the beginning; a busy machine adds to both. */
const MOST_TIMES_THE_COST = 3;

test.skipIf(process.platform !== 'linux')(
  `F5: ${CLIENTS} clients make ${CLIENTS * ROUNDS} calls with 1,024 descriptors, and memory, descriptors and disk stay flat`,
  { timeout: timeoutFor(240_000) },
  async () => {
    const readings: Reading[] = [];
    const failures: string[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const outcomes = await Promise.all(clients.map((client) => makeCall(client, round)));
      failures.push(...outcomes.filter((outcome) => outcome !== undefined));
      if (round % READ_EVERY === 0) readings.push(await readingOf(server, home.stateDir));
    }
    const growth = growthOf(readings);
    if (TIER === 'deep') console.log(`${readings.map(lineOf).join('\n')}\ngrowth: ${JSON.stringify(growth)}`);
    expect(failures.slice(0, 5)).toEqual([]);
    expect(growth.liveBytes).toBeLessThan(MOST_LIVE_BYTES);
    expect(growth.descriptors).toBeLessThan(MOST_DESCRIPTORS);
    expect(Math.max(...readings.map(({ workerDescriptors }) => workerDescriptors))).toBeLessThan(
      MOST_WORKER_DESCRIPTORS,
    );
    expect(growth.diskBytes / (growth.readings * READ_EVERY * CLIENTS)).toBeLessThan(MOST_DISK_BYTES_PER_CALL);
    expect(growth.timesTheCost).toBeLessThan(MOST_TIMES_THE_COST);
  },
);
