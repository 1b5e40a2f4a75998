/** A scripted model: it makes these calls, one per turn, and then repeats the last tool result. */
import { MockLanguageModelV3 } from 'ai/test';

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

/** @param {{ toolName: string, input: object }[]} calls */
export function scripted(calls) {
  let turn = 0;
  return new MockLanguageModelV3({
    async doGenerate({ prompt }) {
      const call = calls[turn];
      turn += 1;
      if (call !== undefined) {
        const { toolName, input } = call;
        const content = [{ type: 'tool-call', toolCallId: `c${turn}`, toolName, input: JSON.stringify(input) }];
        return { content, finishReason: { unified: 'tool-calls', raw: undefined }, usage, warnings: [] };
      }
      const told = prompt.at(-1).content.find(({ type }) => type === 'tool-result');
      const text = `told: ${told?.output.value ?? told?.output.reason ?? told?.output.type}`;
      return {
        content: [{ type: 'text', text }],
        finishReason: { unified: 'stop', raw: undefined },
        usage,
        warnings: [],
      };
    },
  });
}
