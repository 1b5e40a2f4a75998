// @ts-check
/** Gemini's generateContent: what Gemini CLI speaks. */

/** @type {import('../model.mjs').Format} */
export const gemini = {
  matches: (path) => /:(?:streamGenerateContent|generateContent|countTokens)$/u.test(path),
  read(body) {
    const contents = body.contents ?? [];
    const parts = contents.flatMap((/** @type {any} */ one) => one.parts ?? []);
    return {
      offered: (body.tools ?? []).flatMap((/** @type {any} */ tool) =>
        (tool.functionDeclarations ?? []).map((/** @type {any} */ one) => ({ name: one.name })),
      ),
      results: parts
        .filter((/** @type {any} */ part) => part.functionResponse !== undefined)
        .map((/** @type {any} */ part) => part.functionResponse.response),
      conversation: contents.length > 0,
    };
  },
  answer(turn, _body, path) {
    if (path.endsWith(':countTokens')) return { json: { totalTokens: 1 } };
    const part =
      'call' in turn ? { functionCall: { name: turn.call.tool.name, args: turn.call.args } } : { text: turn.text };
    const answer = {
      candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
      modelVersion: 'scripted',
    };
    return path.includes('stream') ? { stream: [{ data: answer }] } : { json: answer };
  },
};
