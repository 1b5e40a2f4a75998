// @ts-check
/** A server on the official package that does nothing: what no server on it can be faster than. */
import { Server } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

const text = 'a line of sixty-four bytes, so that sixteen of them are a KB...\n'.repeat(16);

serveStdio(() => {
  const server = new Server({ name: 'empty', version: '0' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/call', () => ({ content: [{ type: 'text', text }] }));
  return server;
});
