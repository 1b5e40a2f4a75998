/** A real client of the built program over stdio, in folders of its own. */
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type CallToolResult, Client, type ElicitRequest, type ElicitResult } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { onTestFinished } from 'vitest';
import { daemonPlace, type Place } from '../../support/daemon.ts';

export const PROGRAM = process.env['PINCER_PROGRAM'] ?? resolve(import.meta.dirname, '../../../dist/pincer.cjs');

export type Era = 'legacy' | 'modern';
export const ERAS: readonly Era[] = ['legacy', 'modern'];

/** Folders with a workspace and the user's configuration. */
export interface Ground extends Place {
  readonly workspace: string;
  readonly configure: (config: object) => void;
}

/** A workspace whose files and configuration are those of one test. */
export function ground(config: object = {}, files: Readonly<Record<string, string>> = {}): Ground {
  const place = daemonPlace();
  const home = place.env['HOME']!;
  const workspace = join(home, 'ws');
  mkdirSync(workspace);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(workspace, name), text);
  const folder = join(home, '.config', 'pincer');
  mkdirSync(folder, { recursive: true });
  const configure = (value: object): void => writeFileSync(join(folder, 'pincer.jsonc'), JSON.stringify(value));
  configure(config);
  return { ...place, workspace, configure };
}

export interface Connecting {
  readonly era?: Era;
  readonly args?: readonly string[];
  readonly name?: string;
  /** Answers questions; without it the client cannot be asked. */
  readonly elicit?: (request: ElicitRequest) => Promise<ElicitResult> | ElicitResult;
  readonly inputRequired?: { readonly autoFulfill: boolean };
}

export interface Connected {
  readonly client: Client;
  readonly pid: number;
  /** What the server wrote to standard error. */
  readonly said: () => string;
  readonly call: (name: string, args?: Record<string, unknown>) => Promise<CallToolResult>;
  readonly close: () => Promise<void>;
}

/** Starts `pincer mcp` and negotiates. */
export async function connect(at: Ground, options: Connecting = {}): Promise<Connected> {
  const { era = 'legacy', args = [], name = 'test-client', elicit, inputRequired } = options;
  const client = new Client(
    { name, version: '1.0.0' },
    {
      capabilities: elicit === undefined ? {} : { elicitation: { form: {} } },
      versionNegotiation: { mode: era === 'legacy' ? 'legacy' : { pin: '2026-07-28' } },
      ...(inputRequired === undefined ? {} : { inputRequired }),
    },
  );
  if (elicit !== undefined) client.setRequestHandler('elicitation/create', async (request) => elicit(request));
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [PROGRAM, 'mcp', '--workspace', at.workspace, ...args],
    env: { ...at.env },
    stderr: 'pipe',
  });
  let said = '';
  transport.stderr?.on('data', (piece: Buffer) => (said += piece.toString()));
  await client.connect(transport);
  onTestFinished(() => client.close());
  return {
    client,
    pid: transport.pid!,
    said: () => said,
    call: async (tool, given = {}) => client.callTool({ name: tool, arguments: given }),
    close: () => client.close(),
  };
}

/** Text of a result. */
export function textIn({ content }: CallToolResult): string {
  return content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n');
}

/** One run of the program beside the server. */
export function pincer(at: Ground, ...args: readonly string[]): Promise<string> {
  return new Promise((done) => {
    const child = spawn(process.execPath, [PROGRAM, ...args], {
      env: at.env,
      cwd: at.workspace,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let text = '';
    child.stdout.on('data', (piece: Buffer) => (text += piece.toString()));
    child.stderr.on('data', (piece: Buffer) => (text += piece.toString()));
    child.on('close', () => done(text));
  });
}
