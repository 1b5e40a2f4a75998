/** An MCP client that starts `pincer mcp`, calls its tools and answers approval requests. */
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

/**
 * @param {{
 *   command: string,
 *   args: readonly string[],
 *   env?: Record<string, string>,
 *   calls: readonly { name: string, arguments: Record<string, unknown> }[],
 *   ask: (message: string) => Promise<'allow-once' | 'allow-always' | 'deny'>,
 *   onProgress?: (message: string) => void,
 *   era?: 'auto' | 'legacy',
 * }} options
 */
export async function callTools({ command, args, env, calls, ask, onProgress, era = 'auto' }) {
  const client = new Client(
    { name: 'example', version: '1.0.0' },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: era } },
  );
  client.setRequestHandler('elicitation/create', async ({ params }) => ({
    action: 'accept',
    content: { decision: await ask(params.message) },
  }));
  await client.connect(new StdioClientTransport({ command, args, ...(env === undefined ? {} : { env }) }));
  try {
    const { tools } = await client.listTools();
    const answers = [];
    for (const call of calls) {
      const { content, isError = false } = await client.callTool(call, {
        onprogress: ({ message = '' }) => onProgress?.(message),
      });
      answers.push({ text: content.map((block) => block.text ?? `[${block.type}]`).join('\n'), isError });
    }
    return { names: tools.map(({ name }) => name), answers };
  } finally {
    await client.close();
  }
}
