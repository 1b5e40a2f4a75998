// @ts-check
/** `true` on a node on loopback, against `true` on this machine through the same daemon, and over SSH with a ControlMaster. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { race, shown, times } from '../sandbox/race.mjs';
import { pair, program } from './machines.mjs';
import { startSsh } from './ssh.mjs';

/** Above 100 audit rows a second of one agent, rows are only counted: the gateway would write fewer of them than the node. */
const AGENTS = 32;
const NONE = { min: Number.NaN, median: Number.NaN };

/** @param {{ parts: any, folder: string, scale: number }} options @returns {Promise<[string, string, string][]>} */
export async function measure({ parts, folder, scale }) {
  const rounds = Math.max(20, Math.round(300 * scale));
  const both = await pair(parts, folder);
  const ssh = await startSsh(folder);
  try {
    let count = 0;
    const ran = async (/** @type {'node' | 'gateway'} */ host) => {
      const { status } = await both.exec(host, 'true', {}, `agent-${count++ % AGENTS}`);
      if (status !== 'completed') throw new Error(`true on ${host}: ${status}`);
    };
    const calls = await race({ local: () => ran('gateway'), node: () => ran('node') }, rounds, 30);
    console.log(`exec true: ${shown(calls)}`);
    const ours = (/** @type {string[]} */ ...args) =>
      finished([process.execPath, program, 'exec', ...args, '--', 'true'], both.home.environment);
    /** @type {Record<string, () => Promise<void>>} */
    const contestants = { local: () => ours(), node: () => ours('--host', 'node') };
    if ('command' in ssh) contestants['ssh'] = () => finished([...ssh.command, 'true'], {});
    const processes = await race(contestants, Math.max(10, Math.round(40 * scale)), 3);
    console.log(`the same as whole processes: ${shown(processes)}`);
    const { node = NONE, local = NONE, ssh: peer } = /** @type {Partial<typeof processes>} */ (processes);
    return [
      ['`exec true` on a node against this machine, through the daemon', '1.4 x', times(calls.node, calls.local)],
      ['`pincer exec --host node -- true` against `pincer exec -- true`', '', times(node, local)],
      [
        'the same against `ssh` with ControlMaster',
        '',
        peer === undefined ? `not measured: ${'reason' in ssh ? ssh.reason : ''}` : times(node, peer),
      ],
    ];
  } finally {
    await ssh.stop();
    await both.stop();
  }
}

/** @param {readonly string[]} command @param {Record<string, string>} env */
async function finished([file = '', ...args], env) {
  const child = spawn(file, args, { env: { PATH: '/usr/bin:/bin', ...env }, stdio: 'ignore' });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}`);
}
