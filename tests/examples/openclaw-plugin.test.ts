import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import plugin from '../../examples/openclaw-plugin/index.js';
import type { AgentTool } from '../../src/apps/library/index.ts';
import { makeFolder } from '../support/folder.ts';

const FOLDER = join(import.meta.dirname, '../../examples/openclaw-plugin');
const json = (name: string) => JSON.parse(readFileSync(join(FOLDER, name), 'utf8')) as Manifest;

interface Manifest {
  readonly id?: string;
  readonly contracts?: { readonly tools: readonly string[] };
  readonly openclaw?: unknown;
}

type Factory = (context: object) => readonly AgentTool[] | null;

/** What the plugin registers, as OpenClaw hears it. */
function registered(pluginConfig?: object) {
  const calls: { factory: Factory; names: readonly string[] }[] = [];
  const registerTool = (factory: Factory, { names }: { names: readonly string[] }) =>
    void calls.push({ factory, names });
  plugin.register({ pluginConfig, registerTool });
  return calls[0]!;
}

// The plugin leaves the place of its state to the environment.
beforeEach(() => {
  vi.stubEnv('PINCER_STATE_DIR', makeFolder());
  return () => vi.unstubAllEnvs();
});

describe('the plugin for OpenClaw', () => {
  it('names the same plugin, file and tools in its manifests and its code', () => {
    const manifest = json('openclaw.plugin.json');
    expect(json('package.json').openclaw).toEqual({ extensions: ['./index.js'] });
    expect([manifest.id, manifest.contracts?.tools]).toEqual([plugin.id, registered().names]);
  });

  it('gives an agent tools that work in its workspace', async () => {
    const workspaceDir = makeFolder({ 'a.txt': 'hello\n' });
    const tools = registered().factory({ workspaceDir, agentId: 'main' })!;
    expect(tools.map(({ name }) => name)).toEqual([
      'pincer_read',
      'pincer_write',
      'pincer_edit',
      'pincer_exec',
      'pincer_process',
      'pincer_path',
    ]);
    expect(await tools[0]!.execute('c1', { path: 'a.txt' })).toMatchObject({
      content: [{ type: 'text', text: 'hello\n' }],
    });
    await expect(tools[0]!.execute('c2', { path: 'nope' })).rejects.toThrow('file not found');
  });

  it('offers apply_patch where it is switched on', () => {
    const tools = registered({ applyPatch: true }).factory({ workspaceDir: makeFolder() })!;
    expect(tools.map(({ name }) => name)).toContain('pincer_apply_patch');
  });

  it.each([{ sandboxed: true, workspaceDir: '/' }, {}])('gives nothing to an agent with %j', (context) => {
    expect(registered().factory(context)).toBeNull();
  });
});
