// @ts-check
/** The inbox of a gateway with 1,000 open questions of 200 agents: listing them, and answering one. */
import { join } from 'node:path';
import { makeHome, program, startedGateway } from './machines.mjs';

const AGENTS = 200;
const ROUNDS = 200;

/** @param {{ parts: any, folder: string, scale: number }} options @returns {Promise<[string, string, string][]>} */
export async function measure({ parts, folder, scale }) {
  const count = Math.max(AGENTS + 50, Math.round(1000 * scale));
  const home = makeHome(join(folder, 'gateway'), { nodes: { listen: '127.0.0.1:0' } });
  const gateway = await startedGateway(home);
  const client = await parts.connectGateway({ stateDir: home.stateDir, start: false, program });
  try {
    for (let i = 0; i < count; i++) {
      const context = { caller: { agent: `a${i % AGENTS}` }, folder: home.workspace, environment: home.environment };
      const { status } = await client.call('exec.start', {
        request: { command: `ls /${i}`, host: 'gateway' },
        context,
      });
      if (status !== 'approval-pending') throw new Error(`question ${i}: ${status}`);
    }
    /** @type {Record<'all' | 'newest' | 'answer', number[]>} */
    const times = { all: [], newest: [], answer: [] };
    const timed = async (/** @type {keyof typeof times} */ name, /** @type {() => Promise<any>} */ work) => {
      const began = performance.now();
      const result = await work();
      times[name].push(performance.now() - began);
      return result;
    };
    for (let i = -10; i < ROUNDS; i++) {
      const open = await timed('all', () => client.call('approval.list', { state: 'pending', limit: 1000 }));
      if (open.length !== count - i - 10) throw new Error(`only ${open.length} questions are listed`);
      await timed('newest', () => client.call('approval.list', { state: 'pending' }));
      const { id } = open[Math.floor(open.length / 2)];
      await timed('answer', () => client.call('approval.resolve', { id, decision: 'deny', by: 'bench' }));
    }
    const at = (/** @type {number[]} */ list, /** @type {number} */ share) =>
      (list.sort((a, b) => a - b)[Math.floor(list.length * share)] ?? Number.NaN).toFixed(1);
    for (const [name, list] of Object.entries(times))
      console.log(`${count} open questions, ${name}: p50 ${at(list, 0.5)} ms, p99 ${at(list, 0.99)} ms`);
    const inbox = `${count} open questions of ${AGENTS} agents, p99`;
    return [
      [`${inbox}: the newest 100, as the inbox shows them`, '50 ms', `${at(times.newest, 0.99)} ms`],
      [`${inbox}: an answer`, '50 ms', `${at(times.answer, 0.99)} ms`],
      [`${inbox}: all of them in one list`, '', `${at(times.all, 0.99)} ms`],
    ];
  } finally {
    client.close();
    await gateway.stop();
  }
}
