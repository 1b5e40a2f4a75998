/** An agent on the tool runner of Anthropic's SDK, with Pincer's tools, or with the bash and text editor tools that its models know. */
import { anthropicTools } from 'pincer/anthropic';

/**
 * @param {{
 *   client: import('@anthropic-ai/sdk').default,
 *   model: string,
 *   prompt: string,
 *   workspace: string,
 *   stateDir?: string,
 *   host?: 'gateway' | 'sandbox',
 *   shapes?: 'ours' | 'known',
 *   ask: (question: { command: string, reason: string }) => Promise<'allow-once' | 'allow-always' | 'deny'>,
 *   signal?: AbortSignal,
 * }} options
 */
export async function runAgent({ client, model, prompt, ask, shapes = 'ours', signal, ...options }) {
  const { tools, bash, textEditor } = anthropicTools({ ...options, agent: 'example', approve: ask });
  const runner = client.beta.messages.toolRunner(
    {
      model,
      max_tokens: 4_096,
      messages: [{ role: 'user', content: prompt }],
      tools: shapes === 'known' ? [bash, textEditor] : tools,
    },
    { signal },
  );
  const { content } = await runner;
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}
