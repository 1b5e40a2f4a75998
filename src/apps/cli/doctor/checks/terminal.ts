/** Whether a command can get a terminal. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type Check, ok, skip, warn } from '../check.ts';

const TIMEOUT_MS = 10_000;

/** Runs in a child process, because the native code may crash. Node reads the size itself, since `stty` may not be on PATH. */
const PROBE = `
for (const name of 'HOME USERPROFILE NODE_PATH'.split(' ')) delete process.env[name];
require('node:module')._initPaths();
const pty = require('node:module').createRequire(process.argv[1])('@lydell/node-pty');
const size = 'process.stdin.isTTY && process.stdout.rows + " " + process.stdout.columns';
const terminal = pty.spawn(process.execPath, ['-p', size], { cols: 91, rows: 33 });
let said = '';
terminal.onData((text) => (said += text));
terminal.onExit(({ exitCode }) => { process.stdout.write(said); process.exit(exitCode); });
`;

export const terminal: Check = {
  id: 'terminal',
  async run({ program }) {
    try {
      const { stdout } = await promisify(execFile)(process.execPath, ['-e', PROBE, program], { timeout: TIMEOUT_MS });
      if (stdout.trim() === '33 91') return ok('a command in a new terminal gets the right size');
      return warn(`a terminal of 33 by 91 reported ${JSON.stringify(stdout.trim())}`, 'use exec without --pty');
    } catch (error) {
      const { stderr = '', killed = false, message } = error as Error & { stderr?: string; killed?: boolean };
      if (stderr.includes('MODULE_NOT_FOUND')) return skip('@lydell/node-pty is not installed');
      const why = killed ? `no answer within ${TIMEOUT_MS / 1_000} seconds` : lastLine(stderr || message);
      return warn(
        `cannot open a terminal: ${why}`,
        'mount /dev/pts (in a container: docker run -t), or use exec without --pty',
      );
    }
  },
};

function lastLine(text: string): string {
  const lines = text.split('\n').map((line) => line.trim());
  return lines.find((line) => /^\w*Error\b/u.test(line)) ?? lines.findLast((line) => line !== '') ?? 'unknown error';
}
