/** A scripted service on loopback: it answers with these calls, one per turn, and then with the last tool result. */
import { createServer } from 'node:http';

/** @param {{ name: string, input: object }[]} calls */
export async function scripted(calls) {
  let turn = 0;
  /** The tools of each request. */
  const offered = [];
  async function answer(request, response) {
    const body = JSON.parse(Buffer.concat(await request.toArray()).toString('utf8'));
    // The runner sends the tools only at the start of a conversation.
    offered.push((body.tools ?? []).map(({ name, type }) => `${name} ${type}`));
    const call = calls[turn];
    turn += 1;
    const message = {
      id: `msg_${turn}`,
      type: 'message',
      role: 'assistant',
      model: body.model,
      usage: { input_tokens: 1, output_tokens: 1 },
    };
    const content = call
      ? { type: 'tool_use', id: `toolu_${turn}`, ...call }
      : { type: 'text', text: told(body.messages) };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ ...message, content: [content], stop_reason: call ? 'tool_use' : 'end_turn' }));
  }
  const server = createServer((request, response) => {
    answer(request, response).catch((error) => response.writeHead(500).end(String(error)));
  });
  await new Promise((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const close = () =>
    new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
  return { baseURL: `http://127.0.0.1:${server.address().port}`, offered, close };
}

function told(messages) {
  const { content, is_error: failed } = messages.at(-1).content[0];
  return `${failed ? 'failed' : 'told'}: ${typeof content === 'string' ? content : content[0].text}`;
}
