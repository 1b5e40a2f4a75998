/** Fixture tools that ask the client of the 2025 versions: its model, or its user with every form of field. */
import {
  type CreateMessageResult,
  type CreateMessageResultWithTools,
  inputRequired,
  inputResponse,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { type FixtureServer, type Outcome, said, textOf, tool } from './shape.ts';

type ElicitationSchema = Exclude<
  Parameters<typeof inputRequired.elicit>[0]['requestedSchema'],
  { '~standard': unknown }
>;

const PERSON: ElicitationSchema = {
  type: 'object',
  properties: {
    username: { type: 'string', description: "User's response" },
    email: { type: 'string', description: "User's email address" },
  },
  required: ['username', 'email'],
};

const DEFAULTS: ElicitationSchema = {
  type: 'object',
  properties: {
    name: { type: 'string', description: 'User name', default: 'John Doe' },
    age: { type: 'integer', description: 'User age', default: 30 },
    score: { type: 'number', description: 'User score', default: 95.5 },
    status: { type: 'string', enum: ['active', 'inactive', 'pending'], description: 'User status', default: 'active' },
    verified: { type: 'boolean', description: 'Verification status', default: true },
  },
  required: [],
};

const titled = (what: string) => [
  { const: 'value1', title: `First ${what}` },
  { const: 'value2', title: `Second ${what}` },
  { const: 'value3', title: `Third ${what}` },
];

const ENUMS: ElicitationSchema = {
  type: 'object',
  properties: {
    untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
    titledSingle: { type: 'string', oneOf: titled('Option') },
    legacyEnum: {
      type: 'string',
      enum: ['opt1', 'opt2', 'opt3'],
      enumNames: ['Option One', 'Option Two', 'Option Three'],
    },
    untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
    titledMulti: { type: 'array', items: { anyOf: titled('Choice') } },
  },
  required: [],
};

const ANSWER = 'answer';

export function registerAskingTools(server: FixtureServer): void {
  tool(
    server,
    'test_sampling',
    "Asks the client's model",
    ({ mcpReq }, args) => {
      const answer = inputResponse(mcpReq.inputResponses, ANSWER);
      if (answer.kind === 'sampling') return said(`LLM response: ${sampledText(answer.result)}`);
      return askModel(ANSWER, textOf(args, 'prompt'), 100);
    },
    { type: 'object', properties: { prompt: { type: 'string' } }, required: ['prompt'] },
  );
  tool(
    server,
    'test_elicitation',
    'Asks the user for a name and an address',
    (context, args) => askPerson(context, textOf(args, 'message'), PERSON, 'User response: '),
    { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
  );
  tool(server, 'test_elicitation_sep1034_defaults', 'Asks the user with a default for every field', (context) =>
    askPerson(context, 'Please review the values', DEFAULTS, 'Elicitation completed: '),
  );
  tool(server, 'test_elicitation_sep1330_enums', 'Asks the user with every form of choice', (context) =>
    askPerson(context, 'Please choose', ENUMS, 'Elicitation completed: '),
  );
}

function askPerson({ mcpReq }: ServerContext, message: string, schema: ElicitationSchema, head: string): Outcome {
  const answer = inputResponse(mcpReq.inputResponses, ANSWER);
  if (answer.kind === 'elicit')
    return said(`${head}action=${answer.action}, content=${JSON.stringify(answer.content ?? {})}`);
  return inputRequired({ inputRequests: { [ANSWER]: inputRequired.elicit({ message, requestedSchema: schema }) } });
}

/** A question for the client's model, under the key that its answer comes back with. */
export function askModel(key: string, text: string, maxTokens: number): Outcome {
  const messages = [{ role: 'user' as const, content: { type: 'text' as const, text } }];
  return inputRequired({ inputRequests: { [key]: inputRequired.createMessage({ messages, maxTokens }) } });
}

/** The text of what the client's model said. */
export function sampledText({ content }: CreateMessageResult | CreateMessageResultWithTools): string {
  const blocks = Array.isArray(content) ? content : [content];
  return blocks.map((block) => (block.type === 'text' ? block.text : JSON.stringify(block))).join(' ');
}
