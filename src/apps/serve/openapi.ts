/** The description of the plain HTTP interface, made from the schemas that agents see. */
import type { ToolInfo } from '../assemble.ts';

const SECURITY = [{ token: [] }];

/** An OpenAPI 3.1 document for these tools. */
export function openApi(tools: readonly ToolInfo[], url: string, version: string) {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Pincer',
      version,
      description: 'Hands for agents: the same tools as over MCP, one request for each call.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url }],
    security: SECURITY,
    tags: [
      { name: 'tools', description: 'What agents call.' },
      { name: 'server', description: 'How the server is.' },
    ],
    paths: {
      '/v1/tools': {
        get: operation('listTools', 'The tools on offer, with their schemas', 'server', {
          200: json('The tools', {
            type: 'object',
            required: ['tools'],
            properties: { tools: { type: 'array', items: ref('Tool') } },
          }),
        }),
      },
      ...Object.fromEntries(tools.map((tool) => [`/v1/tools/${tool.name}`, { post: callOf(tool) }])),
      '/healthz': {
        get: {
          operationId: 'health',
          summary: 'Whether the process answers',
          tags: ['server'],
          security: [],
          responses: { 200: json('It does', ref('Status')), 403: NOT_ALLOWED },
        },
      },
      '/readyz': {
        get: operation('readiness', 'Whether commands can be run', 'server', {
          200: json('They can', ref('Status')),
          503: json('They cannot at this moment', ref('Failure')),
        }),
      },
      '/metrics': {
        get: operation('metrics', 'Counters and gauges for Prometheus', 'server', {
          200: { description: 'The text format', content: { 'text/plain': { schema: { type: 'string' } } } },
        }),
      },
      '/openapi.json': {
        get: operation('describe', 'This document', 'server', { 200: json('This document', { type: 'object' }) }),
      },
    },
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'The content of the token file of pincer serve.' },
      },
      schemas: SCHEMAS,
    },
  };
}

function callOf({ name, description, inputSchema, aliases, effects }: ToolInfo) {
  const others = Object.entries(aliases).filter(([, names]) => names.length > 0);
  const also = others.map(([canonical, names]) => `${names.join(', ')} for ${canonical}`).join('; ');
  return {
    ...operation(name, name, 'tools', {
      200: json('What the tool answered; isError is true where it could not do its work', ref('ToolResult')),
      202: json('A person has to allow it first: pincer approvals lists and answers', ref('ToolResult')),
      400: json('The body is not JSON', ref('Failure')),
      404: json('The tool is not on offer any more', ref('Failure')),
      413: json('The body is too long', ref('Failure')),
      415: json('The body is not said to be JSON', ref('Failure')),
      422: json('The parameters do not fit', ref('Failure')),
    }),
    description: also === '' ? description : `${description}\n\nOther names are accepted: ${also}.`,
    requestBody: { required: true, content: { 'application/json': { schema: inputSchema } } },
    'x-pincer-effects': effects,
  };
}

type Answers = Readonly<Record<number, object>>;

/** What may come instead of every answer. */
function operation(operationId: string, summary: string, tag: string, answers: Answers) {
  const refusals: Answers = {
    401: json('The request brings no token, or another one', ref('Failure')),
    403: NOT_ALLOWED,
    503: json('Too much is in work, or the server is ending', ref('Failure')),
  };
  return { operationId, summary, tags: [tag], responses: { ...refusals, ...answers } };
}

function json(description: string, schema: object) {
  return { description, content: { 'application/json': { schema } } };
}

function ref(name: keyof typeof SCHEMAS) {
  return { $ref: `#/components/schemas/${name}` };
}

const NOT_ALLOWED = json('The name of the host or the origin is not allowed', ref('Failure'));

const SCHEMAS = {
  Tool: {
    type: 'object',
    required: ['name', 'description', 'inputSchema', 'effects'],
    properties: {
      name: { type: 'string' },
      alsoCalled: { type: 'array', items: { type: 'string' } },
      description: { type: 'string' },
      inputSchema: { type: 'object' },
      aliases: { type: 'object', additionalProperties: { type: 'array', items: { type: 'string' } } },
      effects: { type: 'string', enum: ['reads', 'writes', 'runs'] },
    },
  },
  ToolResult: {
    type: 'object',
    required: ['content', 'details'],
    properties: {
      content: {
        type: 'array',
        description: 'For a model: texts and pictures.',
        items: {
          type: 'object',
          required: ['type'],
          properties: {
            type: { type: 'string', enum: ['text', 'image'] },
            text: { type: 'string' },
            data: { type: 'string', contentEncoding: 'base64' },
            mimeType: { type: 'string' },
          },
        },
      },
      details: { type: 'object', description: 'The same for machines.' },
      isError: { type: 'boolean' },
      error: { type: 'string' },
    },
  },
  Status: { type: 'object', required: ['status'], properties: { status: { type: 'string' } } },
  Failure: {
    type: 'object',
    required: ['error'],
    properties: {
      error: {
        type: 'object',
        required: ['code', 'message'],
        properties: {
          code: { type: 'string' },
          message: { type: 'string' },
          hint: { type: 'string' },
          details: { type: 'object' },
        },
      },
    },
  },
} as const;
