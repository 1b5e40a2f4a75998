/** Fixture tools that give one fixed answer: each kind of content once, and an error. */
import { type FixtureServer, RED_PIXEL, said, SILENCE, tool } from './shape.ts';

const IMAGE = { type: 'image', data: RED_PIXEL, mimeType: 'image/png' } as const;

/** A schema with the keywords of JSON Schema 2020-12 that a server has to list as they are. */
const WIDE_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ['phone'] }, // oxlint-disable-line unicorn/no-thenable -- a keyword of JSON Schema
  else: { required: ['email'] },
  additionalProperties: false,
};

/** A schema whose parameter a client over HTTP has to repeat as a header. */
const HEADER_SCHEMA = {
  type: 'object',
  properties: { region: { type: 'string', description: 'Sent as Mcp-Param-Region too', 'x-mcp-header': 'Region' } },
  required: ['region'],
};

export function registerContentTools(server: FixtureServer): void {
  tool(server, 'test_simple_text', 'Gives one text', () => said('This is a simple text response for testing.'));
  tool(server, 'test_image_content', 'Gives one image', () => ({ content: [IMAGE] }));
  tool(server, 'test_audio_content', 'Gives one sound', () => ({
    content: [{ type: 'audio', data: SILENCE, mimeType: 'audio/wav' }],
  }));
  tool(server, 'test_embedded_resource', 'Gives one resource', () => ({
    content: [
      {
        type: 'resource',
        resource: {
          uri: 'test://embedded-resource',
          mimeType: 'text/plain',
          text: 'This is an embedded resource content.',
        },
      },
    ],
  }));
  tool(server, 'test_multiple_content_types', 'Gives a text, an image and a resource', () => ({
    content: [
      { type: 'text', text: 'Multiple content types test:' },
      IMAGE,
      {
        type: 'resource',
        resource: {
          uri: 'test://mixed-content-resource',
          mimeType: 'application/json',
          text: JSON.stringify({ test: 'data', value: 123 }),
        },
      },
    ],
  }));
  tool(server, 'test_error_handling', 'Fails always', () => {
    throw new Error('This tool intentionally returns an error for testing');
  });
  tool(server, 'json_schema_2020_12_tool', 'Has a schema with many keywords', () => said('ok'), WIDE_SCHEMA);
  tool(
    server,
    'test_header_parameter',
    'Has a parameter that is sent as a header too',
    () => said('ok'),
    HEADER_SCHEMA,
  );
}
