// A program with a launcher that starts one command and stays until it is killed.
// usage: node dying.mjs <launcher module> <spawner script> <runtime folder> <session> <shell command>
const [, , module, spawner, runtimeDir, session, command] = process.argv;
const { createLauncher } = await import(module);
const launcher = createLauncher({ runtimeDir, spawner });
let text = '';
const launched = await launcher.launch(
  {
    session,
    stages: [{ file: '/bin/sh', argv: ['sh', '-c', command] }],
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
    streams: 'merged',
    stdin: 'closed',
  },
  {
    output(_stream, bytes) {
      text += Buffer.from(bytes).toString();
      if (text.includes('ready\n')) process.stdout.write(`${JSON.stringify({ pid: launched?.pid, text })}\n`);
      return true;
    },
    exited: (exit) => process.stdout.write(`${JSON.stringify({ exit })}\n`),
  },
);
setInterval(() => {}, 1000);
