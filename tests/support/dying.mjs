// A program with a launcher that starts one command and stays until it is killed.
// usage: node dying.mjs <launcher module> <runner script> <runtime folder> <session> <shell command>
const [, , module, runner, runtimeDir, session, command] = process.argv;
const { createLauncher } = await import(module);
const launcher = createLauncher({ runtimeDir, runner });
let text = '';
let pid = 0;
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
      tell();
      return true;
    },
    exited: (exit) => process.stdout.write(`${JSON.stringify({ exit })}\n`),
  },
);
pid = launched.pid;
tell();
setInterval(() => {}, 1000);

/** What is known so far; each time anew, because processes that start together speak in any order. */
function tell() {
  if (pid > 0) process.stdout.write(`${JSON.stringify({ pid, text })}\n`);
}
