/** An agent on the AI SDK with the tools of Pincer, whose policy decides which commands need approval. */
import { generateText, stepCountIs } from 'ai';
import { aiSdkTools } from 'pincer/ai-sdk';

/**
 * @param {{
 *   model: import('ai').LanguageModel,
 *   prompt: string,
 *   workspace: string,
 *   stateDir?: string,
 *   host?: 'gateway' | 'sandbox',
 *   ask: (call: { toolName: string, input: unknown }) => Promise<boolean>,
 * }} options
 */
export async function runAgent({ model, prompt, ask, ...options }) {
  const { tools, toolApproval } = aiSdkTools({ ...options, agent: 'example', by: 'the person at the example' });
  const messages = [{ role: 'user', content: prompt }];
  for (;;) {
    // Version 6 calls needsApproval of the tools; version 7 uses toolApproval, which also has the reason.
    const { content, response, text } = await generateText({
      model,
      tools,
      toolApproval,
      messages,
      stopWhen: stepCountIs(20),
    });
    messages.push(...response.messages);
    const requests = content.filter(({ type }) => type === 'tool-approval-request');
    if (requests.length === 0) return { text, messages };
    const answers = [];
    for (const { approvalId, toolCall } of requests)
      answers.push({ type: 'tool-approval-response', approvalId, approved: await ask(toolCall) });
    messages.push({ role: 'tool', content: answers });
  }
}
