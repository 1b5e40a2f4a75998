import { chmodSync, existsSync, linkSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { inputSchema } from '../../src/tools/tool.ts';
import { assembleTools, type ToolboxOptions } from '../../src/apps/assemble.ts';
import { CATALOGUE } from '../../src/apps/catalogue.ts';
import { makeFolder } from '../support/folder.ts';

function assemble(files: Readonly<Record<string, string>> = {}, options: Partial<ToolboxOptions> = {}) {
  const folder = makeFolder({ 'ws/.keep': '', ...files });
  const toolbox = assembleTools({ workspace: join(folder, 'ws'), stateDir: join(folder, 'state'), ...options });
  return { folder, workspace: join(folder, 'ws'), toolbox };
}

describe('the catalogue', () => {
  it.each(CATALOGUE)('knows $name by the names that the tool itself has', async (entry) => {
    const tool = await entry.load();
    expect({ name: tool.name, alsoCalled: tool.alsoCalled ?? [] }).toEqual({
      name: entry.name,
      alsoCalled: entry.alsoCalled,
    });
  });

  it('has schemas that every provider takes: objects without references, all names described', async () => {
    for (const entry of CATALOGUE) {
      const tool = await entry.load();
      const input = inputSchema(tool);
      expect(tool.description).not.toBe('');
      expect(input.required.filter((name) => !Object.hasOwn(input.properties, name))).toEqual([]);
      expect(JSON.stringify(input)).not.toMatch(/"\$ref"|"type":\[/u);
      for (const [name, property] of Object.entries(input.properties))
        expect(property.description, `${entry.name}.${name}`).toMatch(/\S/u);
    }
  });
});

describe('a toolbox', () => {
  it('offers everything but undo and, without a model, apply_patch', async () => {
    const { toolbox } = assemble();
    expect(toolbox.names).toEqual(['read', 'write', 'edit', 'exec', 'process', 'path']);
    const infos = await toolbox.tools();
    expect(infos.map(({ name }) => name)).toEqual(toolbox.names);
    expect(infos[2]).toMatchObject({
      alsoCalled: ['host_workspace_edit', 'sandboxed_edit'],
      effects: 'writes',
      aliases: { path: ['file_path', 'filePath', 'file'] },
      inputSchema: { type: 'object', additionalProperties: false },
    });
  });

  it('offers undo when the operator allows it', () => {
    expect(assemble({}, { allowUndo: true }).toolbox.names).toContain('changes');
  });

  it('does not offer apply_patch to models that are not listed, and reports why', async () => {
    const applyPatch = { enabled: true, allowModels: ['openai/gpt-5'] };
    const { toolbox } = assemble({}, { applyPatch, model: 'gpt-4' });
    expect(toolbox.names).not.toContain('apply_patch');
    expect(await toolbox.call('apply_patch', { input: 'x' })).toMatchObject({
      isError: true,
      error: 'the tool apply_patch is not offered here',
      details: { code: 'TOOL_NOT_OFFERED' },
    });
  });

  it.each([
    [{ deny: ['exec'] }, ['read', 'write', 'edit', 'apply_patch', 'process', 'path']],
    [{ allow: ['exec'] }, ['apply_patch', 'exec']],
    [{ allow: ['*'], deny: ['exec', 'process', 'path'] }, ['read', 'write', 'edit', 'apply_patch']],
    [{ deny: ['*'] }, []],
  ])('offers under %j what the operator left', async (tools, names) => {
    const { toolbox } = assemble({}, { tools, applyPatch: { enabled: true }, model: 'gpt-5' });
    expect(toolbox.names).toEqual(names);
    expect((await toolbox.tools()).map(({ name }) => name)).toEqual(names);
  });

  it('names the deciding settings when a tool is denied', async () => {
    const { toolbox } = assemble({}, { tools: { deny: ['exec', 'write', 'edit'] } });
    expect(await toolbox.call('exec', { command: 'ls' })).toEqual({
      content: [
        {
          type: 'text',
          text: "the tool exec is not offered here\nthe operator's tools.allow and tools.deny decide; offered: read, process, path",
        },
      ],
      details: {
        code: 'TOOL_NOT_OFFERED',
        hint: "the operator's tools.allow and tools.deny decide; offered: read, process, path",
      },
      isError: true,
      error: 'the tool exec is not offered here',
    });
  });

  it('writes, edits and reads', async () => {
    const { workspace, toolbox } = assemble();
    expect(await toolbox.call('write', { path: 'src/a.txt', content: 'grün' })).toMatchObject({
      content: [{ type: 'text', text: 'Successfully wrote 5 bytes to src/a.txt' }],
      details: { path: 'src/a.txt', bytesWritten: 5, workspaceOnly: true },
    });
    expect(
      await toolbox.call('host_workspace_edit', { path: 'src/a.txt', oldText: 'grün', newText: 'rot' }),
    ).toMatchObject({
      content: [{ type: 'text', text: 'Successfully edited src/a.txt' }],
    });
    expect(readFileSync(join(workspace, 'src/a.txt'), 'utf8')).toBe('rot');
    expect((await toolbox.call('read', { path: 'src/a.txt' })).content).toEqual([{ type: 'text', text: 'rot' }]);
  });

  it('keeps patches inside the workspace also where other tools may leave it', async () => {
    const { folder, toolbox } = assemble({ 'out.txt': 'x\n' }, { workspaceOnly: false, applyPatch: { byName: true } });
    const patch = '*** Begin Patch\n*** Delete File: ../out.txt\n*** End Patch';
    expect(await toolbox.call('read', { path: '../out.txt' })).not.toHaveProperty('isError');
    expect(await toolbox.call('apply_patch', { input: patch })).toMatchObject({ isError: true });
    expect(existsSync(join(folder, 'out.txt'))).toBe(true);
  });

  it('allows patches outside the workspace if the operator sets it', async () => {
    const { folder, toolbox } = assemble({ 'out.txt': 'x\n' }, { applyPatch: { byName: true, workspaceOnly: false } });
    const patch = '*** Begin Patch\n*** Delete File: ../out.txt\n*** End Patch';
    expect(await toolbox.call('read', { path: '../out.txt' })).toMatchObject({ isError: true });
    expect(await toolbox.call('apply_patch', { input: patch })).not.toHaveProperty('isError');
    expect(existsSync(join(folder, 'out.txt'))).toBe(false);
  });

  it('hands the signal on', async () => {
    const { workspace, toolbox } = assemble({}, { applyPatch: { byName: true } });
    const patch = '*** Begin Patch\n*** Add File: a.txt\n+a\n*** End Patch';
    const result = await toolbox.call('apply_patch', { input: patch }, { signal: AbortSignal.abort() });
    expect(result).toMatchObject({ isError: true, error: 'Aborted', details: { code: 'TOOL_ABORTED' } });
    expect(existsSync(join(workspace, 'a.txt'))).toBe(false);
  });

  it('refuses to change what was changed behind the agent when the operator asks for that', async () => {
    const { toolbox, workspace } = assemble({ 'ws/a.txt': 'one\n' }, { staleCheck: 'refuse' });
    await toolbox.call('read', { path: 'a.txt' });
    await assembleTools({ workspace, stateDir: join(workspace, '../state'), agent: 'other' }).call('write', {
      path: 'a.txt',
      content: 'one\ntwo\n',
    });
    const stale = await toolbox.call('edit', { path: 'a.txt', oldText: 'one', newText: 'eins' });
    expect(stale).toMatchObject({ isError: true });
    await toolbox.call('read', { path: 'a.txt' });
    expect(await toolbox.call('edit', { path: 'a.txt', oldText: 'one', newText: 'eins' })).not.toHaveProperty(
      'isError',
    );
  });

  it('keeps who changed what, and takes it back', async () => {
    const { workspace, toolbox } = assemble({ 'ws/a.txt': 'one\n' }, { allowUndo: true, agent: 'ada' });
    await toolbox.call('edit', { path: 'a.txt', oldText: 'one', newText: 'two' });
    expect(JSON.stringify((await toolbox.call('changes', { action: 'list' })).details)).toContain('"agent":"ada"');
    expect(await toolbox.call('changes', { action: 'undo' })).not.toHaveProperty('isError');
    expect(readFileSync(join(workspace, 'a.txt'), 'utf8')).toBe('one\n');
  });

  it('guards .git unless the operator opens it', async () => {
    const write = { path: '.git/config', content: 'x' };
    expect(await assemble().toolbox.call('write', write)).toMatchObject({ details: { code: 'FS_PROTECTED' } });
    expect(await assemble({}, { protect: 'none' }).toolbox.call('write', write)).not.toHaveProperty('isError');
  });

  it('refuses a file with several names, or writes it in place so that they stay one', async () => {
    for (const hardLinks of ['refuse', 'in-place'] as const) {
      const { workspace, toolbox } = assemble({ 'ws/a.txt': 'one\n' }, { hardLinks });
      linkSync(join(workspace, 'a.txt'), join(workspace, 'b.txt'));
      const result = await toolbox.call('edit', { path: 'a.txt', oldText: 'one', newText: 'two' });
      expect(result.isError).toBe(hardLinks === 'refuse' ? true : undefined);
      expect(readFileSync(join(workspace, 'b.txt'), 'utf8')).toBe(hardLinks === 'refuse' ? 'one\n' : 'two\n');
    }
  });

  it('hides the values of .env files unless the operator shows them', async () => {
    const env = { 'ws/.env': 'KEY=secret\n' };
    const text = async (options: Partial<ToolboxOptions>) =>
      JSON.stringify((await assemble(env, options).toolbox.call('read', { path: '.env' })).content);
    expect(await text({})).not.toContain('secret');
    expect(await text({ showSecrets: true })).toContain('secret');
  });

  it('returns less of a file to a model with a smaller context window', async () => {
    const files = { 'ws/long.txt': 'word '.repeat(10).concat('\n').repeat(3000) };
    const length = async (modelContextWindowTokens: number) =>
      JSON.stringify(
        (await assemble(files, { modelContextWindowTokens }).toolbox.call('read', { path: 'long.txt' })).content,
      ).length;
    expect(await length(2000)).toBeLessThan(await length(200_000));
  });

  it('makes pictures as small as the operator wants them', async () => {
    const { workspace, toolbox } = assemble({}, { imageLimits: { maxDimensionPx: 20 } });
    await sharp({ create: { width: 80, height: 40, channels: 3, background: 'red' } }).toFile(join(workspace, 'a.png'));
    const { content } = await toolbox.call('read', { path: 'a.png' });
    const image = content.find(({ type }) => type === 'image') as { data: string };
    expect(await sharp(Buffer.from(image.data, 'base64')).metadata()).toMatchObject({ width: 20, height: 10 });
  });

  it('completes batches of dead processes before each call, and reports failures once', async () => {
    const told: string[] = [];
    const { folder, toolbox } = assemble({ 'ws/a.txt': 'one\n' }, { onNotice: (message) => told.push(message) });
    const journals = join(folder, 'state/journal');
    mkdirSync(journals, { recursive: true, mode: 0o700 });
    writeFileSync(join(journals, '999999999.0.x.journal'), '{}');
    chmodSync(journals, 0o777);
    expect(await toolbox.call('read', { path: 'a.txt' })).not.toHaveProperty('isError');
    expect(await toolbox.call('read', { path: 'a.txt' })).not.toHaveProperty('isError');
    expect(told).toEqual([
      `the interrupted batch ${journals} could not be completed: other users can write to ${journals}`,
    ]);
  });

  it('reports a missing workspace as a result', async () => {
    const folder = makeFolder();
    const toolbox = assembleTools({ workspace: join(folder, 'nowhere'), stateDir: join(folder, 'state') });
    expect(await toolbox.call('read', { path: 'a.txt' })).toMatchObject({
      isError: true,
      details: { code: 'FS_NOT_FOUND' },
    });
  });
});
