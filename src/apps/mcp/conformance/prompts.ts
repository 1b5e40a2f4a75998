/** Fixture prompts: without and with arguments, with a resource and an image inside, and one that asks first. */
import { fromJsonSchema, type GetPromptResult, inputRequired, type PromptMessage } from '@modelcontextprotocol/server';
import { answeredText, ask } from './inputs.ts';
import { type FixtureServer, RED_PIXEL, textOf } from './shape.ts';

/** What the value of any argument is completed with. */
const WORDS = ['paris', 'park', 'party'];

type Arguments = Readonly<Record<string, unknown>>;

export function registerPrompts({ mcp }: FixtureServer): void {
  mcp.registerPrompt('test_simple_prompt', { description: 'A prompt without arguments' }, () =>
    prompt(userText('This is a simple prompt for testing.')),
  );
  mcp.registerPrompt(
    'test_prompt_with_arguments',
    { description: 'A prompt with two arguments', argsSchema: strings('arg1', 'arg2') },
    (args) => prompt(userText(`Prompt with arguments: arg1='${textOf(args, 'arg1')}', arg2='${textOf(args, 'arg2')}'`)),
  );
  mcp.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description: 'A prompt with a resource inside', argsSchema: strings('resourceUri') },
    (args) =>
      prompt(
        {
          role: 'user',
          content: {
            type: 'resource',
            resource: {
              uri: textOf(args, 'resourceUri'),
              mimeType: 'text/plain',
              text: 'Embedded resource content for testing.',
            },
          },
        },
        userText('Please process the embedded resource above.'),
      ),
  );
  mcp.registerPrompt('test_prompt_with_image', { description: 'A prompt with an image inside' }, () =>
    prompt(
      { role: 'user', content: { type: 'image', data: RED_PIXEL, mimeType: 'image/png' } },
      userText('Please analyze the image above.'),
    ),
  );
  mcp.registerPrompt('test_input_required_result_prompt', { description: 'A prompt that asks first' }, ({ mcpReq }) => {
    const context = answeredText(mcpReq, 'user_context', 'context');
    if (context !== undefined) return prompt(userText(`Use this context: ${context}`));
    return inputRequired({
      inputRequests: { user_context: ask('What context should the prompt use?', 'context', 'string') },
    });
  });
  mcp.server.setRequestHandler('completion/complete', ({ params }) => {
    const values = WORDS.filter((word) => word.startsWith(params.argument.value));
    return { completion: { values, total: values.length, hasMore: false } };
  });
}

function prompt(...messages: PromptMessage[]): GetPromptResult {
  return { messages };
}

function userText(text: string): PromptMessage {
  return { role: 'user', content: { type: 'text', text } };
}

function strings(...names: string[]) {
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }]));
  return fromJsonSchema<Arguments>({ type: 'object', properties, required: names });
}
