import { Client } from '@modelcontextprotocol/client';
import { InMemoryTransport } from '@modelcontextprotocol/server';
import { afterEach, describe, expect, it } from 'vitest';
import { conformanceFixtures } from '../fixtures/conformance/fixtures.ts';

const open: Client[] = [];

afterEach(async () => {
  for (const client of open.splice(0)) await client.close();
});

/** A client of the 2025 versions whose user answers every question in the same way. */
async function connected(answer: { action: 'accept'; content: Record<string, string> } | { action: 'decline' }) {
  const client = new Client({ name: 'test', version: '1' }, { capabilities: { elicitation: { form: {} } } });
  client.setRequestHandler('elicitation/create', () => answer);
  const [near, far] = InMemoryTransport.createLinkedPair();
  const server = await conformanceFixtures().factory({ era: 'legacy' });
  await server.connect(far);
  await client.connect(near);
  open.push(client);
  return client;
}

describe('the fixtures for the conformance suite', () => {
  it('have the tools, prompts and resources that its scenarios name', async () => {
    const client = await connected({ action: 'decline' });
    const { tools } = await client.listTools();
    const { prompts } = await client.listPrompts();
    const { resources } = await client.listResources();
    expect({
      tools: tools.map(({ name }) => name).filter((name) => !name.startsWith('test_input_required')),
      prompts: prompts.map(({ name }) => name),
      resources: resources.map(({ uri }) => uri),
    }).toEqual({
      tools: [
        'test_simple_text',
        'test_image_content',
        'test_audio_content',
        'test_embedded_resource',
        'test_multiple_content_types',
        'test_error_handling',
        'json_schema_2020_12_tool',
        'test_header_parameter',
        'test_tool_with_logging',
        'test_logging_tool',
        'test_tool_with_progress',
        'test_reconnection',
        'test_trigger_tool_change',
        'test_trigger_prompt_change',
        'test_sampling',
        'test_elicitation',
        'test_elicitation_sep1034_defaults',
        'test_elicitation_sep1330_enums',
        'test_missing_capability',
        'test_streaming_elicitation',
      ],
      prompts: [
        'test_simple_prompt',
        'test_prompt_with_arguments',
        'test_prompt_with_embedded_resource',
        'test_prompt_with_image',
        'test_input_required_result_prompt',
      ],
      resources: ['test://static-text', 'test://static-binary', 'test://watched-resource'],
    });
  });

  it.each([
    [{ action: 'accept', content: { name: 'Ada' } } as const, 'Hello, Ada!'],
    [{ action: 'accept', content: { nick: 'Ada' } } as const, undefined],
  ])('ask until the answer %j has what was asked for', async (answer, greeting) => {
    const client = await connected(answer);
    const result = await client.callTool({ name: 'test_input_required_result_elicitation', arguments: {} });
    const [first] = result.content;
    expect(result.isError === true).toBe(greeting === undefined);
    if (greeting !== undefined) expect(first).toEqual({ type: 'text', text: greeting });
  });

  it('announce a change of the tools on a connection that stays', async () => {
    const client = await connected({ action: 'decline' });
    const heard = new Promise((done) => {
      client.setNotificationHandler('notifications/tools/list_changed', () => done('heard'));
    });
    await client.callTool({ name: 'test_trigger_tool_change', arguments: {} });
    expect(await heard).toBe('heard');
  });
});
