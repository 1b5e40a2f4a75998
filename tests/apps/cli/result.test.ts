import { describe, expect, it } from 'vitest';
import type { Output } from '../../../src/apps/terminal/output.ts';
import { printJson } from '../../../src/apps/cli/print-json.ts';
import { exitCodeOfResult, showResultText } from '../../../src/apps/cli/result.ts';
import type { ToolResult } from '../../../src/wire/tool.ts';

function printed(work: (output: Output) => void, isTerminal = false): { out: string; err: string } {
  const kept = { out: '', err: '' };
  work({
    isTerminal,
    errorIsTerminal: isTerminal,
    quiet: false,
    colour: isTerminal,
    out: (text) => void (kept.out += typeof text === 'string' ? text : Buffer.from(text).toString()),
    err: (text) => void (kept.err += text),
  });
  return kept;
}

const ESCAPE = '\u001b]0;owned\u0007';
const diff = '--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n';
const done: ToolResult = { content: [{ type: 'text', text: `done${ESCAPE}` }], details: { diff } };
const failed: ToolResult = {
  content: [{ type: 'text', text: `no such file${ESCAPE}\nlook again` }],
  details: { code: 'FS_NOT_FOUND' },
  isError: true,
  error: 'no such file',
};

describe('the result of a tool', () => {
  it('is one JSON document for a program', () => {
    const { out, err } = printed((output) => printJson(output, failed));
    expect(JSON.parse(out)).toEqual(failed);
    expect(err).toBe('');
  });

  it('is JSON that a terminal does not obey, and the same data', () => {
    const hostile: ToolResult = { content: [{ type: 'text', text: 'a\u009b31mb\u202ec' }], details: {} };
    const { out } = printed((output) => printJson(output, hostile), true);
    expect([out.includes('\\u009b31mb\\u202ec'), JSON.parse(out)]).toEqual([true, hostile]);
    expect(printed((output) => printJson(output, hostile)).out).toContain('a\u009b31mb\u202ec');
  });

  it('is its text in a pipe, byte for byte, with the diff where it is asked for', () => {
    expect(printed((output) => showResultText(done, output)).out).toBe(`done${ESCAPE}\n`);
    expect(printed((output) => showResultText(done, output, { diff: true })).out).toBe(`done${ESCAPE}\n${diff}`);
  });

  it('has its diff once, also where the text holds it already', () => {
    const both: ToolResult = { content: [{ type: 'text', text: `Dry run.\n${diff}` }], details: { diff } };
    expect(printed((output) => showResultText(both, output, { diff: true })).out).toBe(`Dry run.\n${diff}`);
    expect(printed((output) => showResultText(both, output)).out).toBe(`Dry run.\n${diff}`);
  });

  it('obeys nothing on a terminal, and colours the diff', () => {
    const { out } = printed((output) => showResultText(done, output, { diff: true }), true);
    expect(out).toContain('done\\u001b]0;owned\\u0007\n');
    expect(out).toContain('\u001b[31m-x\u001b[39m');
  });

  it('of a failure goes to standard error, with its code', () => {
    expect(printed((output) => showResultText(failed, output))).toEqual({
      out: '',
      err: 'FS_NOT_FOUND: no such file\\u001b]0;owned\\u0007\nlook again\n',
    });
  });

  it('of a failure with a hint says it as all messages do', () => {
    const hinted = { ...failed, content: [{ type: 'text', text: 'no such file\nlook again' }] as const };
    const details = { code: 'FS_NOT_FOUND', hint: 'look again' };
    expect(printed((output) => showResultText({ ...hinted, details }, output)).err).toBe(
      'FS_NOT_FOUND: no such file\nhint: look again\n',
    );
  });

  it('names a picture instead of printing it', () => {
    const content = [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }] as const;
    expect(printed((output) => showResultText({ content, details: {} }, output)).out).toBe(
      '[image/png, 3 bytes; --json prints them as base64]\n',
    );
  });
});

describe('the exit code', () => {
  it.each([
    ['PARAM_MISSING', 2],
    ['PARAM_CONFLICT', 2],
    ['TOOL_UNKNOWN', 2],
    ['TOOL_NOT_OFFERED', 2],
    ['USAGE_JSON', 2],
    ['EDIT_NOT_FOUND', 1],
    ['PATCH_MISMATCH', 1],
    ['CHANGE_CONFLICT', 1],
    ['OC_REFUSED', 1],
    ['FS_OUTSIDE_WORKSPACE', 2],
    ['FS_PROTECTED', 1],
    ['FS_NAME_NUL', 2],
    ['PATCH_SYNTAX', 2],
    ['FS_NOT_FOUND', 3],
    ['INTERNAL_ERROR', 3],
    ['SOMETHING_NEW', 3],
  ])('of %s is %i', (code, exit) => {
    expect(exitCodeOfResult({ content: [], details: { code }, isError: true, error: '' })).toBe(exit);
  });

  it('of a success is 0, and of a refusal without a code 1', () => {
    expect(exitCodeOfResult({ content: [], details: { code: 'FS_NOT_FOUND' } })).toBe(0);
    expect(exitCodeOfResult({ content: [], details: {}, isError: true, error: 'no' })).toBe(1);
  });
});
