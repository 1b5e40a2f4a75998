// @ts-check
/** Anthropic's messages: what Claude Code speaks. */

/** @type {import('../model.mjs').Format} */
export const anthropic = {
  matches: (path) => path.endsWith('/messages') || path.endsWith('/count_tokens'),
  read(body) {
    const messages = body.messages ?? [];
    const blocks = messages.flatMap((/** @type {any} */ one) => (Array.isArray(one.content) ? one.content : []));
    return {
      offered: (body.tools ?? []).map((/** @type {any} */ tool) => ({ name: tool.name })),
      results: blocks
        .filter((/** @type {any} */ block) => block.type === 'tool_result')
        .map((/** @type {any} */ block) => block.content),
      conversation: messages.length > 0,
    };
  },
  answer(turn, body, path) {
    if (path.endsWith('/count_tokens')) return { json: { input_tokens: 1 } };
    const block =
      'call' in turn
        ? { type: 'tool_use', id: `toolu_${turn.call.number}`, name: turn.call.tool.name, input: turn.call.args }
        : { type: 'text', text: turn.text };
    const reason = 'call' in turn ? 'tool_use' : 'end_turn';
    const message = { id: 'msg_1', type: 'message', role: 'assistant', model: body.model, stop_sequence: null };
    const usage = { input_tokens: 1, output_tokens: 1 };
    if (body.stream !== true) return { json: { ...message, content: [block], stop_reason: reason, usage } };
    const opening = 'call' in turn ? { ...block, input: {} } : { ...block, text: '' };
    const delta =
      'call' in turn
        ? { type: 'input_json_delta', partial_json: JSON.stringify(turn.call.args) }
        : { type: 'text_delta', text: turn.text };
    return {
      stream: [
        { type: 'message_start', message: { ...message, content: [], stop_reason: null, usage } },
        { type: 'content_block_start', index: 0, content_block: opening },
        { type: 'content_block_delta', index: 0, delta },
        { type: 'content_block_stop', index: 0 },
        { type: 'message_delta', delta: { stop_reason: reason, stop_sequence: null }, usage: { output_tokens: 1 } },
        { type: 'message_stop' },
      ].map((data) => ({ event: data.type, data })),
    };
  },
};
