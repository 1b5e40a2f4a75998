// @ts-check
/** Commands in a container, on an engine that is started for that alone. */
import { existsSync } from 'node:fs';
import { openBox, run, specOf } from './box.mjs';
import { race } from './race.mjs';

const IMAGE = 'localhost/pincer-test:1';
/** The image has this machine's, which is smaller and starts sooner than its /bin/sh. */
const BUSYBOX = ['/bin/busybox', '/usr/bin/busybox'].filter((path) => existsSync(path)).slice(0, 1);

/**
 * `sh -c true` over the attached agent, by the engine's own exec, and on this machine; a reason in words where there is no engine.
 * @param {any} parts
 * @param {'docker' | 'podman'} name
 * @param {{ runner: string, folder: string, workspace: string, peer: { run: (command: string[]) => Promise<number> }, rounds: number }} options
 */
export async function measureEngine(parts, name, { runner, folder, workspace, peer, rounds }) {
  const started = await parts.startEngine(name);
  if (started.trouble !== undefined) return `not measured: ${started.trouble}`;
  try {
    const { binds, command } = parts.provisions({ runner });
    const backend = parts.createContainers({
      engine: name,
      places: { socket: started.socket },
      agent: () => ({ binds, command: [...command, '--stdio'] }),
      hidden: [],
      home: folder,
      scratch: folder,
      image: IMAGE,
    });
    const spec = specOf(workspace);
    const box = await openBox(parts, backend, spec);
    try {
      const engine = parts.engineAt(started.socket, '1.41');
      const id = await idOf(engine, spec.id);
      const agent = () => run(box.link.launcher, 'true', { cwd: '/workspace' });
      const api = () => execByEngine(engine, id);
      const spawn = () => peer.run(['/bin/sh', '-c', 'true']);
      const sameShell = () => peer.run([...BUSYBOX, 'sh', '-c', 'true']);
      const close = await race({ agent, spawn, sameShell }, rounds);
      const wide = await race({ api, spawn }, Math.max(5, Math.round(rounds / 20)), 2);
      return { ...close, api: wide.api, spawnMeanwhile: wide.spawn };
    } finally {
      await box.end();
    }
  } finally {
    await started.stop();
  }
}

/** @param {any} engine @param {string} name */
async function idOf(engine, name) {
  const all = await engine.ask('GET', '/containers/json', { query: { filters: JSON.stringify({ name: [name] }) } });
  if (all.length !== 1) throw new Error(`${all.length} containers are called ${name}`);
  return all[0].Id;
}

/** @param {any} engine @param {string} container */
async function execByEngine(engine, container) {
  const body = { AttachStdout: true, AttachStderr: true, Cmd: ['/bin/sh', '-c', 'true'] };
  const { Id: id } = await engine.ask('POST', `/containers/${container}/exec`, { body });
  await engine.ask('POST', `/exec/${id}/start`, { body: { Detach: false, Tty: false } });
  const { ExitCode: code } = await engine.ask('GET', `/exec/${id}/json`);
  if (code !== 0) throw new Error(`the engine's exec ended with ${code}`);
}
