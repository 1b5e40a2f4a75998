/** The OpenAPI document of the plain HTTP interface, generated from the tool schemas. */
import type { ToolInfo } from '../assemble.ts';

const SECURITY = [{ token: [] }];

/** An OpenAPI 3.1 document for these tools. */
export function openApi(tools: readonly ToolInfo[], url: string, version: string) {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Pincer',
      version,
      description: 'Tools for agents: the same tools as over MCP, with one HTTP request for each call.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url }],
    security: SECURITY,
    tags: [
      { name: 'tools', description: 'Tool calls.' },
      { name: 'server', description: 'State of the server.' },
    ],
    paths: {
      '/v1/tools': {
        get: operation('listTools', 'List the offered tools with their schemas', 'server', {
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
          summary: 'Check whether the process answers',
          tags: ['server'],
          security: [],
          responses: { 200: json('The process answers', ref('Status')), 403: NOT_ALLOWED },
        },
      },
      '/readyz': {
        get: operation('readiness', 'Check whether commands can run', 'server', {
          200: json('Commands can run', ref('Status')),
          503: json('Commands cannot run at the moment', ref('Failure')),
        }),
      },
      '/metrics': {
        get: operation('metrics', 'Get metrics for Prometheus', 'server', {
          200: {
            description: 'Metrics in the Prometheus text format',
            content: { 'text/plain': { schema: { type: 'string' } } },
          },
        }),
      },
      '/openapi.json': {
        get: operation('describe', 'Get this document', 'server', { 200: json('This document', { type: 'object' }) }),
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
      200: json('The result of the tool; isError is true if it failed', ref('ToolResult')),
      202: json('The call waits for approval; answer it with pincer approvals', ref('ToolResult')),
      400: json('The body is not JSON', ref('Failure')),
      404: json('The tool is not offered', ref('Failure')),
      413: json('The body is too long', ref('Failure')),
      415: json('The content type is not JSON, or the body is compressed', ref('Failure')),
      422: json('The parameters are invalid', ref('Failure')),
    }),
    description: also === '' ? description : `${description}\n\nAlso accepted: ${also}.`,
    requestBody: { required: true, content: { 'application/json': { schema: inputSchema } } },
    'x-pincer-effects': effects,
  };
}

type Answers = Readonly<Record<number, object>>;

/** Adds the refusals that every operation can return. */
function operation(operationId: string, summary: string, tag: string, answers: Answers) {
  const refusals: Answers = {
    401: json('The token is missing or wrong', ref('Failure')),
    403: NOT_ALLOWED,
    503: json('Too many requests, or the server is starting or stopping', ref('Failure')),
  };
  return { operationId, summary, tags: [tag], responses: { ...refusals, ...answers } };
}

function json(description: string, schema: object) {
  return { description, content: { 'application/json': { schema } } };
}

function ref(name: keyof typeof SCHEMAS) {
  return { $ref: `#/components/schemas/${name}` };
}

const NOT_ALLOWED = json('The host name or the origin is not allowed', ref('Failure'));

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
        description: 'The result for a model: text and images.',
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
      details: { type: 'object', description: 'The result as data for programs.' },
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
