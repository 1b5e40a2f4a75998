/** Fixture tools of 2026-07-28 that answer with `input_required` first: one question, several, in rounds, with signed state. */
import {
  acceptedContent,
  type InputRequests,
  inputRequired,
  inputResponse,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { askModel, sampledText } from './asking.ts';
import { type FixtureServer, type Outcome, said, tool } from './shape.ts';

type FieldType = 'string' | 'boolean';

const NAME_QUESTION = ask('What is your name?', 'name', 'string');
const CONFIRM_QUESTION = ask('Please confirm', 'ok', 'boolean');

export function registerInputTools(server: FixtureServer): void {
  tool(server, 'test_input_required_result_elicitation', 'Asks the user for a name', ({ mcpReq }) => {
    const name = answeredText(mcpReq, 'user_name', 'name');
    return name === undefined
      ? inputRequired({ inputRequests: { user_name: NAME_QUESTION } })
      : said(`Hello, ${name}!`);
  });
  tool(server, 'test_input_required_result_sampling', "Asks the client's model", ({ mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, 'capital_question');
    if (answer.kind === 'sampling') return said(sampledText(answer.result));
    return askModel('capital_question', 'What is the capital of France?', 100);
  });
  tool(server, 'test_input_required_result_list_roots', "Asks for the client's roots", ({ mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, 'client_roots');
    if (answer.kind === 'roots') return said(`Roots: ${answer.roots.map(({ uri }) => uri).join(', ')}`);
    return inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } });
  });
  tool(server, 'test_input_required_result_request_state', 'Asks, and wants its state back', (context) =>
    confirmed(server, context, 'state-ok'),
  );
  tool(server, 'test_input_required_result_tampered_state', 'Asks, and refuses a state that was changed', (context) =>
    confirmed(server, context, 'state-ok: untouched'),
  );
  tool(server, 'test_input_required_result_multiple_inputs', 'Asks three things at once', (context) =>
    severalInputs(server, context),
  );
  tool(server, 'test_input_required_result_multi_round', 'Asks one thing after another', (context) =>
    rounds(server, context),
  );
  tool(server, 'test_input_required_result_capabilities', 'Asks only what the client can answer', (context) =>
    answerable(server, context),
  );
  tool(server, 'test_missing_capability', "Needs the client's model", ({ mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, 'needed');
    return answer.kind === 'sampling' ? said(sampledText(answer.result)) : askModel('needed', 'Are you there?', 10);
  });
  tool(server, 'test_streaming_elicitation', 'Asks the user on its stream', ({ mcpReq }) => {
    const name = answeredText(mcpReq, 'user_name', 'name');
    return name === undefined
      ? inputRequired({ inputRequests: { user_name: NAME_QUESTION } })
      : said(`Hello, ${name}!`);
  });
}

/** One question with one field. */
export function ask(message: string, field: string, type: FieldType) {
  const asked = type === 'string' ? ({ type: 'string' } as const) : ({ type: 'boolean' } as const);
  return inputRequired.elicit({
    message,
    requestedSchema: { type: 'object', properties: { [field]: asked }, required: [field] },
  });
}

/** The accepted text of a field; a value of another type is no answer. */
export function answeredText({ inputResponses }: ServerContext['mcpReq'], key: string, field: string) {
  const value = acceptedContent(inputResponses, key)?.[field];
  return typeof value === 'string' ? value : undefined;
}

async function confirmed({ state }: FixtureServer, { mcpReq }: ServerContext, text: string): Promise<Outcome> {
  const ok = acceptedContent(mcpReq.inputResponses, 'confirm')?.['ok'];
  if (typeof ok === 'boolean' && mcpReq.requestState() !== undefined) return said(text);
  return inputRequired({
    inputRequests: { confirm: CONFIRM_QUESTION },
    requestState: await state.mint({ asked: 'confirm' }),
  });
}

async function severalInputs({ state }: FixtureServer, { mcpReq }: ServerContext): Promise<Outcome> {
  const name = answeredText(mcpReq, 'user_name', 'name');
  const greeting = inputResponse(mcpReq.inputResponses, 'greeting');
  const roots = inputResponse(mcpReq.inputResponses, 'client_roots');
  if (name !== undefined && greeting.kind === 'sampling' && roots.kind === 'roots')
    return said(`${sampledText(greeting.result)} ${name}, with ${roots.roots.length} roots`);
  return inputRequired({
    inputRequests: {
      user_name: NAME_QUESTION,
      greeting: inputRequired.createMessage({
        messages: [{ role: 'user', content: { type: 'text', text: 'Generate a greeting' } }],
        maxTokens: 50,
      }),
      client_roots: inputRequired.listRoots(),
    },
    requestState: await state.mint({ asked: 'all' }),
  });
}

async function rounds({ state }: FixtureServer, { mcpReq }: ServerContext): Promise<Outcome> {
  const before = mcpReq.requestState<{ round: number; name?: string }>();
  const color = answeredText(mcpReq, 'step2', 'color');
  if (before?.round === 2 && color !== undefined) return said(`${before.name ?? 'Nobody'} likes ${color}`);
  const name = answeredText(mcpReq, 'step1', 'name') ?? before?.name;
  if (before !== undefined && name !== undefined)
    return inputRequired({
      inputRequests: { step2: ask('Step 2: What is your favorite color?', 'color', 'string') },
      requestState: await state.mint({ round: 2, name }),
    });
  return inputRequired({
    inputRequests: { step1: ask('Step 1: What is your name?', 'name', 'string') },
    requestState: await state.mint({ round: 1 }),
  });
}

function answerable({ mcp }: FixtureServer, { mcpReq }: ServerContext): Outcome {
  const declared = mcp.server.getClientCapabilities();
  const inputRequests: InputRequests = {};
  if (declared?.elicitation !== undefined) inputRequests['user_name'] = NAME_QUESTION;
  if (declared?.sampling !== undefined)
    inputRequests['greeting'] = inputRequired.createMessage({
      messages: [{ role: 'user', content: { type: 'text', text: 'Generate a greeting' } }],
      maxTokens: 50,
    });
  if (declared?.roots !== undefined) inputRequests['client_roots'] = inputRequired.listRoots();
  const open = Object.keys(inputRequests).filter((key) => mcpReq.inputResponses?.[key] === undefined);
  return open.length === 0 ? said('Nothing left to ask.') : inputRequired({ inputRequests });
}
