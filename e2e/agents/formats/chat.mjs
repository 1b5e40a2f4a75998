// @ts-check
/** Chat completions: what opencode speaks with a provider of one's own. */

/** @type {import('../model.mjs').Format} */
export const chat = {
  matches: (path) => path.endsWith('/chat/completions'),
  read(body) {
    const messages = body.messages ?? [];
    return {
      offered: (body.tools ?? []).map((/** @type {any} */ tool) => ({ name: tool.function?.name ?? '' })),
      results: messages
        .filter((/** @type {any} */ message) => message.role === 'tool')
        .map((/** @type {any} */ message) => message.content),
      conversation: messages.length > 0,
    };
  },
  answer(turn, body) {
    const message =
      'call' in turn
        ? {
            role: 'assistant',
            content: null,
            tool_calls: [
              {
                index: 0,
                id: `call_${turn.call.number}`,
                type: 'function',
                function: { name: turn.call.tool.name, arguments: JSON.stringify(turn.call.args) },
              },
            ],
          }
        : { role: 'assistant', content: turn.text };
    const reason = 'call' in turn ? 'tool_calls' : 'stop';
    const head = { id: 'chatcmpl-1', created: 1, model: body.model };
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    if (body.stream !== true) {
      const choices = [{ index: 0, message, finish_reason: reason }];
      return { json: { ...head, object: 'chat.completion', choices, usage } };
    }
    const chunk = { ...head, object: 'chat.completion.chunk' };
    return {
      stream: [
        { data: { ...chunk, choices: [{ index: 0, delta: message, finish_reason: null }] } },
        { data: { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: reason }], usage } },
        { data: '[DONE]' },
      ],
    };
  },
};
