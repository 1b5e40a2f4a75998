import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { anthropicTools } from '../../../src/apps/adapters/anthropic.ts';
import { ToolFailure } from '../../../src/apps/library/index.ts';
import { until, UNTIL_GO } from '../../support/patience.ts';
import { judgedOptions } from './judged.ts';

async function place(files: Readonly<Record<string, string>> = {}, more: object = {}, config?: object) {
  const { gateway, folder, options } = await judgedOptions(config);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const { tools, bash, textEditor } = anthropicTools({ ...options, ...more });
  return {
    gateway,
    folder,
    bash,
    tools,
    textEditor,
    edit: (args: Readonly<Record<string, unknown>>) => textEditor.run(args),
    text: (name: string) => readFileSync(join(folder, name), 'utf8'),
    has: (name: string) => existsSync(join(folder, name)),
  };
}

describe('the tools for the tool runner', () => {
  it('have the structure of betaTool', async () => {
    const { tools } = await place();
    expect(tools.map(({ name }) => name)).toEqual(['read', 'write', 'edit', 'exec', 'process', 'path']);
    expect(tools[0]).toMatchObject({
      type: 'custom',
      description: expect.stringMatching(/\w/u) as string,
      input_schema: { type: 'object', required: ['path'] },
    });
  });

  it('answer with text, and take parameters by their other names', async () => {
    const { tools, text } = await place();
    const write = tools.find(({ name }) => name === 'write')!;
    expect(await write.run(write.parse({ file_path: 'a.txt', content: 'x' }))).toBe(
      'Successfully wrote 1 bytes to a.txt',
    );
    expect(text('a.txt')).toBe('x');
  });

  it('throw what they cannot do', async () => {
    const { tools, bash, textEditor } = await place();
    for (const tool of [...tools, bash, textEditor])
      for (const sent of [null, 'text', 7, []]) await expect(tool.run(tool.parse(sent))).rejects.toThrow(ToolFailure);
    await expect(tools[0]!.run({ path: 'nope' })).rejects.toThrow('file not found: nope');
  });

  it('put a command to the person that the program knows, with the id of the call', async () => {
    const asked: string[] = [];
    const approve = ({ toolCallId, command }: { toolCallId: string; command: string }) => {
      asked.push(`${toolCallId} ${command}`);
      return 'allow-once';
    };
    const { tools, has } = await place({}, { approve });
    const exec = tools.find(({ name }) => name === 'exec')!;
    await exec.run({ command: 'touch made' }, { toolUse: { id: 'toolu_1' } });
    expect([asked, has('made')]).toEqual([['toolu_1 touch made'], true]);
  });
});

describe('bash', () => {
  const BACKGROUND_MS = 50;

  it('runs a command to its end', async () => {
    const { bash } = await place({}, {}, {});
    expect([bash.type, bash.name]).toEqual(['bash_20250124', 'bash']);
    expect(await bash.run({ command: 'echo one; echo two >&2; exit 3' })).toBe(
      'one\ntwo\n\n(Command exited with code 3)',
    );
  });

  it('waits for the end where exec would continue in the background', async () => {
    const slow = { tools: { exec: { host: 'gateway', backgroundMs: BACKGROUND_MS } } };
    for (const config of [{ tools: { exec: { backgroundMs: BACKGROUND_MS } } }, slow]) {
      const { bash, has, gateway, folder } = await place({}, { approve: () => 'allow-once' }, config);
      const answer = bash.run({ command: `echo one; : > started; ${UNTIL_GO}; echo two` });
      await until(() => has('started'), 'the start of the command');
      const [session] = await gateway.call('session.list', { caller: { agent: 'main' } });
      await until(() => Date.now() > session!.startedAt + BACKGROUND_MS, 'the end of the foreground time');
      writeFileSync(join(folder, 'go'), '');
      expect(await answer).toBe('one\ntwo');
    }
  });

  it('explains that there is nothing to restart', async () => {
    const { bash } = await place({}, {}, {});
    expect(await bash.run({ restart: true })).toMatch(/every command runs in a new shell/u);
  });

  it('answers that a command waits for a person', async () => {
    const { bash, has } = await place();
    expect(await bash.run({ command: 'touch made' })).toMatch(/^Approval required/u);
    expect(has('made')).toBe(false);
  });

  it('ends a command when the runner is stopped', async () => {
    const { bash, has } = await place({}, {}, {});
    const stop = new AbortController();
    const answer = bash.run({ command: ': > started; exec sleep 60' }, { signal: stop.signal });
    const refused = expect(answer).rejects.toMatchObject({ name: 'AbortError' });
    await until(() => has('started'), 'the start of the command');
    stop.abort();
    await refused;
  });
});

const LINES = 'one\ntwo\nthree\n';

describe('the text editor', () => {
  it.each([
    { range: undefined, shown: '     1\tone\n     2\ttwo\n     3\tthree\n' },
    { range: [2, -1], shown: '     2\ttwo\n     3\tthree\n' },
    { range: [2, 2], shown: '     2\ttwo\n\n[1 more line in file. Use offset=3 to continue.]' },
  ])('views $range with line numbers', async ({ range, shown }) => {
    const { edit } = await place({ 'a.txt': LINES });
    expect(await edit({ command: 'view', path: 'a.txt', ...(range === undefined ? {} : { view_range: range }) })).toBe(
      shown,
    );
  });

  it('views a folder', async () => {
    const { edit } = await place({ 'a.txt': LINES, 'b.txt': '' });
    expect(await edit({ command: 'view', path: '.' })).toBe('a.txt\nb.txt');
  });

  it('shows no more than was agreed on', async () => {
    const { edit, textEditor } = await place({ 'a.txt': LINES }, { maxCharacters: 10 });
    expect(textEditor.max_characters).toBe(10);
    expect(await edit({ command: 'view', path: 'a.txt' })).toBe(
      '     1\tone\n[Showing the first 10 of 35 characters. Use view_range for the rest.]',
    );
  });

  it('creates and replaces', async () => {
    const { edit, text } = await place();
    await edit({ command: 'create', path: 'n.txt', file_text: 'a\nb\n' });
    await edit({ command: 'str_replace', path: 'n.txt', old_str: 'b', new_str: 'c' });
    expect(text('n.txt')).toBe('a\nc\n');
    await edit({ command: 'str_replace', path: 'n.txt', old_str: 'a\n' });
    expect(text('n.txt')).toBe('c\n');
  });

  it.each([
    { before: LINES, line: 0, added: 'x', after: 'x\none\ntwo\nthree\n' },
    { before: LINES, line: 1, added: 'x\n', after: 'one\nx\ntwo\nthree\n' },
    { before: LINES, line: 3, added: 'x\ny', after: 'one\ntwo\nthree\nx\ny\n' },
    { before: 'one', line: 1, added: 'x', after: 'one\nx' },
    { before: 'one\r\ntwo\r\n', line: 1, added: 'x', after: 'one\r\nx\r\ntwo\r\n' },
    { before: '', line: 0, added: 'x\n', after: 'x\n' },
    { before: 'a\na\na\n', line: 1, added: 'x', after: 'a\nx\na\na\n' },
  ])('inserts after line $line of $before', async ({ before, line, added, after }) => {
    const { edit, text } = await place({ 'a.txt': before });
    await edit({ command: 'insert', path: 'a.txt', insert_line: line, insert_text: added });
    expect(text('a.txt')).toBe(after);
  });

  it('inserts into the middle of a long file', async () => {
    const lines = Array.from({ length: 5_000 }, (_, i) => `line ${i + 1}`);
    const { edit, text } = await place({ 'a.txt': `${lines.join('\n')}\n` });
    await edit({ command: 'insert', path: 'a.txt', insert_line: 2_500, insert_text: 'x' });
    expect(text('a.txt')).toBe(`${[...lines.slice(0, 2_500), 'x', ...lines.slice(2_500)].join('\n')}\n`);
  });

  it.each([
    { args: { command: 'undo_edit', path: 'a.txt' }, says: 'command must be one of view, create, str_replace, insert' },
    { args: { command: 'insert', path: 'a.txt', insert_line: 9, insert_text: 'x' }, says: 'a.txt has 3 lines' },
    { args: { command: 'insert', path: 'a.txt', insert_line: -1, insert_text: 'x' }, says: 'insert_line must be' },
    { args: { command: 'insert', path: 'a.txt', insert_line: 1 }, says: 'insert_text must be' },
    { args: { command: 'view', path: 'a.txt', view_range: [3, 1] }, says: 'view_range must be' },
    { args: { command: 'str_replace', path: 'a.txt', old_str: 'o', new_str: 'x' }, says: 'a.txt' },
    { args: { command: 'create', path: '../out.txt', file_text: 'x' }, says: 'out.txt' },
    { args: {}, says: 'command must be one of' },
  ])('refuses $args and keeps the file unchanged', async ({ args, says }) => {
    const { edit, text } = await place({ 'a.txt': LINES });
    await expect(edit(args)).rejects.toThrow(says);
    expect(text('a.txt')).toBe(LINES);
  });
});
