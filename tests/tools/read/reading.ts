import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { localFiles } from '../../../src/hosts/files/files.ts';
import { media } from '../../../src/hosts/media/media.ts';
import { callTool } from '../../../src/tools/call.ts';
import { readTool } from '../../../src/tools/read.ts';
import type { ToolContext } from '../../../src/tools/tool.ts';
import type { ToolResult } from '../../../src/wire/tool.ts';
import { makeFolder } from '../../support/folder.ts';

export interface Reading {
  readonly workspace: string;
  readonly read: (input: Readonly<Record<string, unknown>>) => Promise<ToolResult>;
}

/** A workspace with these files, and the tool on it. */
export function reading(
  contents: Readonly<Record<string, string | Uint8Array>>,
  context: Partial<ToolContext> = {},
): Reading {
  const workspace = makeFolder(contents);
  const stateDir = mkdtempSync(join(tmpdir(), 'pincer-state-'));
  onTestFinished(() => rmSync(stateDir, { recursive: true, force: true }));
  const files = localFiles({ cwd: workspace, stateDir });
  return {
    workspace,
    read: (input) => callTool([readTool], 'read', input, { files, media: async () => media(), ...context }),
  };
}

/** The one text of an answer. */
export function textIn(result: ToolResult): string {
  const [first] = result.content;
  if (first?.type !== 'text') throw new Error('expected a text first');
  return first.text;
}
