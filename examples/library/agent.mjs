/** The smallest agent: a loop that sends the tools to a model, makes its calls, and returns the results. */
import { createTools } from 'pincer/tools';

/**
 * @param {{
 *   model: (messages: object[], tools: readonly object[]) => Promise<{ text?: string, calls: { id: string, name: string, args: object }[] }>,
 *   workspace: string,
 *   stateDir?: string,
 *   host?: 'gateway' | 'sandbox',
 *   ask: (question: { command: string, reason: string }) => Promise<'allow-once' | 'allow-always' | 'deny'>,
 *   onOutput?: (text: string) => void,
 *   signal?: AbortSignal,
 * }} options
 */
export async function runAgent({ model, ask, onOutput, signal, ...options }) {
  const tools = createTools({ ...options, agent: 'example', approve: ask });
  const messages = [{ role: 'user', content: 'Write a greeting to hello.txt and show it.' }];
  for (;;) {
    const { text, calls } = await model(messages, tools);
    if (calls.length === 0) return text;
    for (const { id, name, args } of calls) {
      const tool = tools.find((one) => one.name === name);
      const content = await answer(tool, id, args);
      messages.push({ role: 'tool', id, content });
    }
  }

  /** A failure is thrown, and the model gets its message. An abort ends the agent. */
  async function answer(tool, id, args) {
    if (tool === undefined) return 'there is no such tool';
    try {
      const update = (partial) => onOutput?.(partial.content[0].text);
      return (await tool.execute(id, args, signal, update)).content;
    } catch (error) {
      if (error.name === 'AbortError') throw error;
      return error.message;
    }
  }
}
