// @ts-check
/** OpenAI's responses: what Codex speaks. Tools of a server stand in a namespace. */

/** @type {import('../model.mjs').Format} */
export const responses = {
  matches: (path) => path.endsWith('/responses'),
  read(body) {
    const input = Array.isArray(body.input) ? body.input : [];
    return {
      offered: (body.tools ?? []).flatMap((/** @type {any} */ tool) =>
        tool.type === 'namespace'
          ? (tool.tools ?? []).map((/** @type {any} */ inner) => ({ name: inner.name, namespace: tool.name }))
          : [{ name: tool.name ?? tool.type }],
      ),
      results: input
        .filter((/** @type {any} */ item) => String(item.type).endsWith('call_output'))
        .map((/** @type {any} */ item) => item.output),
      conversation: input.length > 0,
    };
  },
  answer(turn, body) {
    const item = 'call' in turn ? callItem(turn.call, body) : messageItem(turn.text);
    const usage = {
      input_tokens: 1,
      output_tokens: 1,
      total_tokens: 2,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens_details: { reasoning_tokens: 0 },
    };
    const response = {
      id: 'resp_1',
      object: 'response',
      status: 'completed',
      model: body.model,
      output: [item],
      usage,
    };
    if (body.stream !== true) return { json: response };
    return {
      stream: [
        { type: 'response.created', response: { id: 'resp_1' } },
        { type: 'response.output_item.done', output_index: 0, item },
        { type: 'response.completed', response },
      ].map((data) => ({ event: data.type, data })),
    };
  },
};

/** A tool with a grammar of its own, such as Codex's `apply_patch`, takes a text: the argument `input`. @param {any} call @param {any} body */
function callItem({ tool, args, number }, body) {
  const isText = (body.tools ?? []).some((/** @type {any} */ one) => one.type === 'custom' && one.name === tool.name);
  return {
    id: `fc_${number}`,
    call_id: `call_${number}`,
    name: tool.name,
    ...(tool.namespace === undefined ? {} : { namespace: tool.namespace }),
    ...(isText
      ? { type: 'custom_tool_call', input: args.input }
      : { type: 'function_call', arguments: JSON.stringify(args) }),
    status: 'completed',
  };
}

/** @param {string} text */
function messageItem(text) {
  return {
    type: 'message',
    id: 'msg_1',
    role: 'assistant',
    content: [{ type: 'output_text', text, annotations: [] }],
  };
}
