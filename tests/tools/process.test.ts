import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventLoopTurns, PATIENCE_MS, UNTIL_GO } from '../support/patience.ts';
import { runningTools } from '../support/running-tools.ts';

const anyNumber = expect.any(Number) as number;
const text = (value: string) => [{ type: 'text', text: value }];

describe('process list', () => {
  it('reports that there are no sessions', async () => {
    const { exec, process } = await runningTools();
    await exec({ command: 'echo in the foreground' });
    expect(await process({ action: 'list' })).toEqual({
      content: text('No running or recent sessions.'),
      details: { status: 'completed', sessions: [] },
    });
  });

  it('shows the sessions of its agent, the newest first', async () => {
    const { start, process, folder, gateway } = await runningTools();
    const first = await start('echo hej; exit 2');
    await gateway.call('session.wait', { caller: { agent: 'main' }, sessionId: first, waitMs: PATIENCE_MS });
    const second = await start('sleep 60', { pty: true });
    const { content, details } = await process({ action: 'list' });
    expect(content).toEqual([
      {
        type: 'text',
        text: expect.stringMatching(
          new RegExp(`^${second} running \\d+\\.\\ds :: sleep 60\\n${first} completed \\d+\\.\\ds :: echo hej;$`, 'u'),
        ) as string,
      },
    ]);
    const shared = {
      pid: anyNumber,
      startedAt: anyNumber,
      runtimeMs: anyNumber,
      cwd: folder,
      truncated: false,
      waitingForInput: false,
    };
    expect(details).toEqual({
      status: 'completed',
      sessions: [
        {
          ...shared,
          sessionId: second,
          status: 'running',
          command: 'sleep 60',
          name: 'sleep 60',
          tail: '',
          stdinWritable: true,
        },
        {
          ...shared,
          sessionId: first,
          status: 'completed',
          command: 'echo hej; exit 2',
          name: 'echo hej;',
          tail: 'hej\n',
          stdinWritable: false,
          endedAt: anyNumber,
          exitCode: 2,
          lastOutputAt: anyNumber,
          idleMs: anyNumber,
        },
      ],
    });
  });

  it('does not know the sessions of another agent, for any action', async () => {
    const { start, process } = await runningTools();
    const sessionId = await start('sleep 60');
    const caller = { agent: 'other' };
    expect((await process({ action: 'list' }, { caller })).details['sessions']).toEqual([]);
    for (const action of ['poll', 'log', 'submit', 'kill', 'clear', 'remove', 'screen'])
      expect((await process({ action, sessionId }, { caller })).error).toBe(`there is no session "${sessionId}"`);
    expect((await process({ action: 'kill', sessionId })).details).toMatchObject({ failure: 'killed' });
  });
});

describe('process poll', () => {
  it('drains new output, reports the state, and never waits after the end', async () => {
    const { start, process, pollUntil } = await runningTools();
    const sessionId = await start('echo one; read line; echo "two $line"', { pty: true });
    await pollUntil(sessionId, /one\n/u);
    expect(await process({ action: 'poll', sessionId })).toEqual({
      content: text('(no new output)\n\nProcess still running.'),
      details: { status: 'running', sessionId, aggregated: '', name: 'echo one;', retryInMs: anyNumber },
    });
    await process({ action: 'write', sessionId, data: 'x\r' });
    await pollUntil(sessionId, /two x\n/u);
    const begin = Date.now();
    expect((await process({ action: 'poll', sessionId, timeout: 60_000 })).details).toMatchObject({
      exitCode: 0,
      status: 'completed',
    });
    expect(await process({ action: 'poll', sessionId, timeout: 60_000 })).toEqual({
      content: text('(no new output)\n\nProcess exited with code 0.'),
      details: { status: 'completed', sessionId, exitCode: 0, aggregated: '', name: 'echo one;' },
    });
    expect(Date.now() - begin).toBeLessThan(PATIENCE_MS);
  });

  it('waits for the first output', async () => {
    const { start, process, folder } = await runningTools();
    const sessionId = await start(`${UNTIL_GO}; echo late; exec sleep 60`);
    const answer = process({ action: 'poll', sessionId, timeout: 30_000 });
    await eventLoopTurns();
    writeFileSync(join(folder, 'go'), '');
    expect(await answer).toMatchObject({
      content: text('late\n\nProcess still running.'),
      details: { status: 'running', aggregated: 'late\n' },
    });
  });

  it.each([
    ['kill -9 $$', 'Process exited with signal SIGKILL.', { exitSignal: 'SIGKILL' }],
    ['exit 7', 'Process exited with code 7.', { exitCode: 7 }],
  ])('reports how %s ended', async (command, said, end) => {
    const { start, process } = await runningTools();
    const sessionId = await start(command);
    const { content, details } = await process({ action: 'poll', sessionId, timeout: 30_000 });
    expect(content).toEqual(text(`(no new output)\n\n${said}`));
    expect(details).toMatchObject(end);
  });

  it('keeps the output for the next poll when it is aborted', async () => {
    const { start, process, pollUntil } = await runningTools();
    const sessionId = await start('read line; echo "got $line"', { pty: true });
    const abort = new AbortController();
    const abandoned = process({ action: 'poll', sessionId, timeout: 60_000 }, { signal: abort.signal });
    await eventLoopTurns();
    abort.abort();
    expect(await abandoned).toMatchObject({ error: 'Aborted', details: { code: 'TOOL_ABORTED' } });
    await process({ action: 'send-keys', sessionId, literal: 'x', keys: ['Enter'] });
    await pollUntil(sessionId, /got x/u);
  });
});

describe('process log', () => {
  const RANGES = [
    [{}, 800, 200, '\n\n[offset 800: 200 lines of 1000]'],
    [{ limit: 2 }, 998, 2, '\n\n[offset 998: 2 lines of 1000]'],
    [{ offset: 998 }, 998, 2, '\n\n[offset 998: 2 lines of 1000]'],
    [{ offset: 10, limit: 3 }, 10, 3, '\n\n[offset 10: 3 lines of 1000; continue with offset 13]'],
    [{ offset: 0, limit: 1000 }, 0, 1000, ''],
  ] as const;

  it('shows the last 200 lines, or the requested ones', async () => {
    const { start, process, gateway } = await runningTools();
    const sessionId = await start('seq 0 999');
    await gateway.call('session.wait', { caller: { agent: 'main' }, sessionId, waitMs: 30_000 });
    const whole = { status: 'completed', sessionId, exitCode: 0, total: 1000, totalLines: 1000, totalBytes: 3890 };
    for (const [range, offset, lines, hint] of RANGES) {
      const numbers = Array.from({ length: lines }, (_, i) => offset + i).join('\n');
      expect(await process({ action: 'log', sessionId, ...range })).toEqual({
        content: text(`${numbers}${hint}`),
        details: { ...whole, offset, lines, truncated: false, name: 'seq 0' },
      });
    }
  });

  it('reports an empty log and an offset after the end', async () => {
    const { start, process } = await runningTools();
    const silent = await start('sleep 60');
    expect((await process({ action: 'log', sessionId: silent })).content).toEqual(text('(no output)'));
    const short = await start('echo a; exec sleep 60');
    await process({ action: 'poll', sessionId: short, timeout: 30_000 });
    expect((await process({ action: 'log', sessionId: short, offset: 5 })).content).toEqual(
      text('(no more lines: the log has 1)'),
    );
  });
});

describe('sending input to a session', () => {
  // Asks for paste marks, as a line editor does, and shows what arrives byte for byte.
  const echo = `stty raw -echo; printf '\\033[?2004hready'; od -An -tx1 -v -w1 -N`;

  it.each([
    [{ action: 'send-keys', keys: ['Enter'] }, 'Sent 1 byte', '0d'],
    [{ action: 'send-keys', keys: ['C-c'] }, 'Sent 1 byte', '03'],
    [{ action: 'send-keys', keys: ['Up', 'Up', 'Enter'] }, 'Sent 7 bytes', '1b 5b 41 1b 5b 41 0d'],
    [{ action: 'send-keys', literal: 'ü', hex: ['1b', '0x41'], keys: ['Tab'] }, 'Sent 5 bytes', 'c3 bc 1b 41 09'],
    [{ action: 'submit' }, 'Submitted 1 byte', '0d'],
    [{ action: 'write', data: 'ab' }, 'Wrote 2 bytes', '61 62'],
    [{ action: 'paste', text: 'a\nb\n', bracketed: false }, 'Pasted 4 bytes', '61 0a 62 0a'],
    [
      { action: 'paste', text: 'line1\nline2\n' },
      'Pasted 24 bytes',
      '1b 5b 32 30 30 7e 6c 69 6e 65 31 0a 6c 69 6e 65 32 0a 1b 5b 32 30 31 7e',
    ],
  ] as const)('%j', async (input, said, bytes) => {
    const { start, process, pollUntil } = await runningTools();
    const count = bytes.split(' ').length;
    // It goes on, so that it still runs when the answer is given.
    const sessionId = await start(`${echo} ${count}; exec sleep 60`, { pty: true });
    await pollUntil(sessionId, /ready/u);
    expect(await process({ ...input, sessionId })).toEqual({
      content: text(`${said} to session ${sessionId}.`),
      details: { status: 'running', sessionId, bytes: count, name: 'stty raw' },
    });
    const seen = await pollUntil(sessionId, new RegExp(`(?:\\s*[0-9a-f]{2}){${count}}\\s*$`, 'u'));
    expect(
      seen
        .replace(/^\s*ready/u, '')
        .trim()
        .split(/\s+/u)
        .join(' '),
    ).toBe(bytes);
  });

  it('warns about a bracketed paste that the program did not enable', async () => {
    const { start, process } = await runningTools();
    const sessionId = await start('cat', { pty: true });
    expect((await process({ action: 'paste', sessionId, text: 'a' })).content).toEqual(
      text(
        `Warning: the program has not requested paste marks: if it shows 200~, paste with bracketed=false\nPasted 13 bytes to session ${sessionId}.`,
      ),
    );
  });

  it.each([{ keys: ['C-Nope'] }, { hex: ['zz'] }])('B24: refuses unknown keys: %j', async (unknown) => {
    const { start, process } = await runningTools();
    const sessionId = await start('cat', { pty: true });
    const { details, isError } = await process({ action: 'send-keys', sessionId, ...unknown, literal: 'x' });
    expect([isError, details['code']]).toEqual([true, 'PARAM_INVALID']);
  });

  it('ends the input', async () => {
    const { start, process } = await runningTools();
    const sessionId = await start('cat; echo "ended"', { pty: true });
    await process({ action: 'write', sessionId, data: 'a\r', eof: true });
    let seen = '';
    while (!/ended/u.test(seen))
      seen += String((await process({ action: 'poll', sessionId, timeout: 10_000 })).details['aggregated']);
    expect(seen).toMatch(/a\n.*ended\n/su);
  });
});

describe('the end of a session', () => {
  it('kill ends it, clear removes it', async () => {
    const { start, process } = await runningTools();
    const sessionId = await start('exec sleep 60');
    expect(await process({ action: 'kill', sessionId })).toEqual({
      content: text(`Session ${sessionId} killed.`),
      details: { status: 'failed', sessionId, exitSignal: 'SIGTERM', failure: 'killed', name: 'exec sleep' },
    });
    expect((await process({ action: 'kill', sessionId })).content).toEqual(
      text(`Session ${sessionId} had already ended.`),
    );
    expect((await process({ action: 'clear', sessionId })).content).toEqual(text(`Session ${sessionId} cleared.`));
    expect((await process({ action: 'clear', sessionId })).error).toBe(`there is no session "${sessionId}"`);
  });

  it('remove does both, of a session that runs and of one that has ended', async () => {
    const { start, process } = await runningTools();
    for (const command of ['exec sleep 60', 'exit 1']) {
      const sessionId = await start(command);
      if (command === 'exit 1') await process({ action: 'poll', sessionId, timeout: 30_000 });
      expect((await process({ action: 'remove', sessionId })).content).toEqual(text(`Session ${sessionId} removed.`));
    }
    expect((await process({ action: 'list' })).details['sessions']).toEqual([]);
  });
});

describe('the screen of a session', () => {
  it('shows the terminal screen in its size', async () => {
    const { start, process, pollUntil } = await runningTools();
    const sessionId = await start(`printf 'a\\033[3;5Hb\\033[1;1HA'; exec sleep 60`, { pty: true });
    await pollUntil(sessionId, /b.*A/su);
    expect(await process({ action: 'resize', sessionId, cols: 80, rows: 4 })).toEqual({
      content: text(`Session ${sessionId} is now 80 columns by 4 rows.`),
      details: { status: 'running', sessionId, cols: 80, rows: 4 },
    });
    expect(await process({ action: 'screen', sessionId })).toEqual({
      content: text('A\n\n    b'),
      details: {
        status: 'running',
        sessionId,
        lines: ['A', '', '    b', ''],
        cursor: { row: 0, col: 1 },
        cols: 80,
        rows: 4,
        title: '',
        alternate: false,
      },
    });
  });
});

describe('an invalid call of process', () => {
  const SENSELESS = [
    [{}, 'PARAM_MISSING', 'process: the parameter action is missing'],
    [
      { action: 'dance' },
      'PARAM_INVALID',
      'process: action must be one of list, poll, log, write, send-keys, submit, paste, kill, clear, remove, screen, resize, not "dance"',
    ],
    [{ action: 'poll' }, 'PARAM_MISSING', 'process: poll needs sessionId'],
    [{ action: 'poll', sessionId: '' }, 'PARAM_MISSING', 'process: poll needs sessionId'],
    [{ action: 'poll', sessionId: 'no-such' }, 'EXEC_SESSION_UNKNOWN', 'there is no session "no-such"'],
    [{ action: 'write', sessionId: 's' }, 'PARAM_MISSING', 'process: write needs data or eof'],
    [{ action: 'paste', sessionId: 's' }, 'PARAM_MISSING', 'process: paste needs text'],
    [{ action: 'send-keys', sessionId: 's' }, 'PARAM_MISSING', 'process: send-keys needs keys, hex or literal'],
    [
      { action: 'send-keys', sessionId: 's', keys: 'Enter' },
      'PARAM_INVALID',
      'process: keys must be an array, not "Enter"',
    ],
    [{ action: 'send-keys', sessionId: 's', keys: [1] }, 'PARAM_INVALID', 'process: keys[0] must be a string, not 1'],
    [{ action: 'resize', sessionId: 's', cols: 80 }, 'PARAM_MISSING', 'process: resize needs cols and rows'],
    [
      { action: 'log', sessionId: 's', offset: -1 },
      'PARAM_INVALID',
      'process: offset must be an integer of at least 0, not -1',
    ],
    [
      { action: 'log', sessionId: 's', limit: 0 },
      'PARAM_INVALID',
      'process: limit must be an integer of at least 1, not 0',
    ],
  ] as const;

  it('is refused with the name of the parameter', async () => {
    const { process } = await runningTools();
    const answers = [];
    for (const [input] of SENSELESS) {
      const { details, error } = await process(input);
      answers.push([input, details['code'], error]);
    }
    expect(answers).toEqual(SENSELESS);
  });

  it('reports what a session without a terminal cannot do, with a hint', async () => {
    const { start, process } = await runningTools();
    const sessionId = await start('exec sleep 60');
    const answers = [];
    for (const input of [
      { action: 'write', data: 'x' },
      { action: 'screen' },
      { action: 'resize', cols: 80, rows: 24 },
      { action: 'clear' },
    ]) {
      const { details, content } = await process({ ...input, sessionId });
      answers.push([details['status'], details['code'], (content[0] as { text: string }).text]);
    }
    expect(answers).toEqual([
      [
        'failed',
        'EXEC_INPUT_CLOSED',
        `the standard input of session ${sessionId} is closed\nstart the command in a terminal (pty) to type into it while it runs`,
      ],
      [
        'failed',
        'EXEC_NO_TERMINAL',
        `session ${sessionId} has no terminal\nstart the command with pty to get a screen; the log has the output of every session`,
      ],
      [
        'failed',
        'EXEC_NO_TERMINAL',
        `session ${sessionId} has no terminal\nstart the command with pty to get a screen; the log has the output of every session`,
      ],
      [
        'failed',
        'EXEC_SESSION_RUNNING',
        `session ${sessionId} still runs\nend it first, or remove it, which does both`,
      ],
    ]);
  });
});
