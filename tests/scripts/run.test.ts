import { describe, expect, it } from 'vitest';
import { run } from '../../scripts/run.mjs';

describe('run', () => {
  it('gives the exit code and all that was printed', async () => {
    const script = "process.stdout.write('a'); process.stderr.write('b'); process.exitCode = 3;";
    const result = await run(process.execPath, ['-e', script]);
    expect({ code: result.code, printed: [...result.output].sort().join('') }).toEqual({ code: 3, printed: 'ab' });
  });

  it('gives the program no input to wait for', async () => {
    const script = "process.stdin.on('data', () => {}).on('end', () => console.log('ended'));";
    expect(await run(process.execPath, ['-e', script])).toEqual({ code: 0, output: 'ended\n' });
  });

  it('reports a program that does not exist instead of throwing', async () => {
    const result = await run('pincer-no-such-program', []);
    expect(result).toEqual({ code: 127, output: expect.stringContaining('ENOENT') });
  });

  it('reports the signal that ended a program', async () => {
    const result = await run(process.execPath, [
      '-e',
      "process.kill(process.pid, 'SIGTERM'); setInterval(() => {}, 1e3);",
    ]);
    expect(result).toEqual({ code: 128, output: 'SIGTERM\n' });
  });
});
