/** An agent on the OpenAI Agents SDK: function tools, the hosted shapes `shell` and `apply_patch`, and approvals as interruptions. */
import { Agent, applyPatchTool, Runner, shellTool } from '@openai/agents';
import { openAiAgentsTools } from 'pincer/openai-agents';

/**
 * @param {{
 *   model: import('@openai/agents').Model,
 *   prompt: string,
 *   workspace: string,
 *   stateDir?: string,
 *   host?: 'gateway' | 'sandbox',
 *   shapes?: 'functions' | 'hosted',
 *   ask: (call: { name: string, arguments: string }) => Promise<boolean>,
 * }} options
 */
export async function runAgent({ model, prompt, ask, shapes = 'functions', ...options }) {
  const { functionTools, shell, editor } = openAiAgentsTools({ ...options, agent: 'example' });
  const tools = {
    functions: functionTools,
    // Models know these two tools without schemas; the other tools are functions.
    hosted: [
      shellTool(shell),
      applyPatchTool({ editor }),
      ...functionTools.filter(({ name }) => !['exec', 'process', 'apply_patch'].includes(name)),
    ],
  };
  const agent = new Agent({ name: 'Example', instructions: 'Use the tools.', model, tools: tools[shapes] });
  const runner = new Runner({ tracingDisabled: true });
  let result = await runner.run(agent, prompt);
  while (result.interruptions.length > 0) {
    for (const question of result.interruptions) {
      if (await ask(question)) result.state.approve(question);
      else result.state.reject(question);
    }
    result = await runner.run(agent, result.state);
  }
  return result.finalOutput;
}
