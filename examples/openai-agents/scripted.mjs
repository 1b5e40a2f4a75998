/** A scripted model: it makes these calls, one per turn, and then repeats the last tool result. */
import { Usage } from '@openai/agents';

/** @param {object[]} calls items of the protocol: `function_call`, `shell_call`, `apply_patch_call` */
export function scripted(calls) {
  let turn = 0;
  return {
    async getResponse({ input }) {
      const call = calls[turn];
      turn += 1;
      if (call !== undefined) return { usage: new Usage(), output: [{ callId: `c${turn}`, ...call }] };
      const { output } = input.at(-1);
      const text = `told: ${typeof output === 'string' ? output : (output?.text ?? JSON.stringify(output))}`;
      const content = [{ type: 'output_text', text }];
      return { usage: new Usage(), output: [{ type: 'message', role: 'assistant', status: 'completed', content }] };
    },
    getStreamedResponse() {
      throw new Error('this model does not stream');
    },
  };
}
