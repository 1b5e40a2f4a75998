// @ts-check
/** A sandbox as the gateway has one: a backend's, with the link to the agent inside. */

const MIB = 1024 * 1024;
let count = 0;

/** What a sandbox of these measurements is made from. @param {string} workspace @param {object} [more] */
export function specOf(workspace, more = {}) {
  return {
    id: `bench-${process.pid}-${count++}`,
    workspace,
    workspaceAccess: 'rw',
    limits: { tmpBytes: 256 * MIB },
    egress: false,
    binds: [],
    env: {},
    ...more,
  };
}

/** @param {any} parts @param {any} backend @param {any} spec */
export async function openBox(parts, backend, spec) {
  const opened = await backend.open(spec);
  const link = parts.connectInside(opened.channel, { breakDown: () => void opened.end() });
  try {
    await link.ready;
  } catch (error) {
    await opened.end();
    throw error;
  }
  return {
    link,
    /** A process of this machine that all of it belongs to. */
    pid: Number(opened.pid),
    sh: (/** @type {string} */ command) => run(link.launcher, command),
    end: () => opened.end(),
  };
}

/** Runs a command and waits for its end. @param {any} launcher @param {string} command @param {object} [more] */
export function run(launcher, command, more = {}) {
  return new Promise((resolve, reject) => {
    const exited = (/** @type {any} */ exit) =>
      exit.kind === 'code' && exit.code === 0
        ? resolve(undefined)
        : reject(new Error(`${command} ended with ${JSON.stringify(exit)}`));
    const launch = {
      session: `bench-${count++}`,
      stages: [{ file: '/bin/sh', argv: ['sh', '-c', command] }],
      cwd: '/',
      env: { PATH: '/usr/bin:/bin' },
      streams: 'merged',
      stdin: 'closed',
      ...more,
    };
    launcher.launch(launch, { output: () => true, exited }).catch(reject);
  });
}
