import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { configProblems, fileProblems } from '../../src/config/problems.ts';
import { makeFolder } from '../support/folder.ts';

describe('the problems of a configuration', () => {
  it('are all returned with their positions', async () => {
    const root = makeFolder({
      'xdg/pincer/pincer.jsonc':
        '{\n  // c\n  tools: {\n    exec: { secuirty: "deny", host: "nowhere", timeoutSec: -1 },\n  },\n  agents: { list: [{ name: "x" }] },\n}\n',
      'project/pincer.jsonc': '{ tools: { exec: { security: "full" } } }',
    });
    const file = join(root, 'xdg/pincer/pincer.jsonc');
    const project = join(root, 'project/pincer.jsonc');
    const env = { HOME: root, XDG_CONFIG_HOME: join(root, 'xdg'), PINCER_TOOLS_DENI: 'x' };
    expect(await configProblems(join(root, 'project'), env)).toEqual([
      {
        severity: 'warning',
        layer: 'user',
        file,
        line: 4,
        column: 13,
        path: 'tools.exec.secuirty',
        ocPath: 'oc://pincer.jsonc/tools/exec/secuirty',
        message: 'unknown setting tools.exec.secuirty; did you mean tools.exec.security',
      },
      {
        severity: 'error',
        layer: 'user',
        file,
        line: 4,
        column: 31,
        path: 'tools.exec.host',
        ocPath: 'oc://pincer.jsonc/tools/exec/host',
        message: 'tools.exec.host must be one of sandbox, gateway, node, not "nowhere"',
      },
      {
        severity: 'error',
        layer: 'user',
        file,
        line: 4,
        column: 48,
        path: 'tools.exec.timeoutSec',
        ocPath: 'oc://pincer.jsonc/tools/exec/timeoutSec',
        message: 'tools.exec.timeoutSec must be an integer from 0 to 31536000, not -1',
      },
      {
        severity: 'warning',
        layer: 'user',
        file,
        line: 6,
        column: 20,
        path: 'agents.list[0]',
        ocPath: 'oc://pincer.jsonc/agents/list/0',
        message: 'agents.list[0] has no effect: it has no id',
      },
      {
        severity: 'warning',
        layer: 'project',
        file: project,
        line: 1,
        column: 20,
        path: 'tools.exec.security',
        ocPath: 'oc://pincer.jsonc/tools/exec/security',
        message: "tools.exec.security has no effect: a project's file may only make rules stricter",
      },
      {
        severity: 'warning',
        layer: 'environment',
        message: 'unknown setting PINCER_TOOLS_DENI; did you mean PINCER_TOOLS_DENY',
      },
    ]);
  });

  const FILES = [
    ['{\n  tools: }', { line: 2, column: 10, message: expect.stringMatching(/^syntax error/u) }],
    ['', { line: 1, column: 1, message: expect.stringMatching(/^syntax error/u) }],
    ['[]', { line: 1, column: 1, message: 'the file must be an object, not an array' }],
    ['{ agents: { list: [{ id: "a" }, { id: "a" }] } }', { line: 1, column: 33, path: 'agents.list[1]' }],
  ] as const;
  it.each(FILES)('of one file: %j', async (text, problem) => {
    const file = join(makeFolder({ 'a.jsonc': text }), 'a.jsonc');
    expect(await fileProblems(file)).toEqual([expect.objectContaining({ file, ...problem })]);
  });
});
