/** Fixture resources: text, bytes, a template, and one that can be watched. */
import { ResourceTemplate } from '@modelcontextprotocol/server';
import { type FixtureServer, RED_PIXEL } from './shape.ts';

export function registerResources({ mcp, era }: FixtureServer): void {
  mcp.registerResource(
    'static-text',
    'test://static-text',
    { description: 'A text', mimeType: 'text/plain' },
    ({ href }) => ({
      contents: [{ uri: href, mimeType: 'text/plain', text: 'This is the content of the static text resource.' }],
    }),
  );
  mcp.registerResource(
    'static-binary',
    'test://static-binary',
    { description: 'An image', mimeType: 'image/png' },
    ({ href }) => ({ contents: [{ uri: href, mimeType: 'image/png', blob: RED_PIXEL }] }),
  );
  mcp.registerResource(
    'watched-resource',
    'test://watched-resource',
    { description: 'A text that can be watched', mimeType: 'text/plain' },
    ({ href }) => ({ contents: [{ uri: href, mimeType: 'text/plain', text: 'Nothing has changed yet.' }] }),
  );
  mcp.registerResource(
    'template',
    new ResourceTemplate('test://template/{id}/data', { list: undefined }),
    { description: 'A text for every id', mimeType: 'application/json' },
    ({ href }, { id }) => ({
      contents: [
        {
          uri: href,
          mimeType: 'application/json',
          text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${String(id)}` }),
        },
      ],
    }),
  );
  // Later versions watch resources with subscriptions/listen, which the transport serves itself.
  if (era === 'modern') return;
  mcp.server.setRequestHandler('resources/subscribe', () => ({}));
  mcp.server.setRequestHandler('resources/unsubscribe', () => ({}));
}
