/** The tools over plain HTTP: one request for each call, against `pincer serve`. */

/** @param {{ url: string, token: string }} server what `pincer serve` prints, and the content of its token file */
export function pincer({ url, token }) {
  async function send(method, path, body) {
    const response = await fetch(new URL(path, url), {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = await response.json();
    // An invalid request. A failure of a tool is a response with isError.
    if (!response.ok) throw new Error(`${response.status} ${answer.error.code}: ${answer.error.message}`);
    return answer;
  }
  return {
    tools: async () => (await send('GET', '/v1/tools')).tools,
    /** `{content, details, isError?}`; a command that needs approval has `details.status` `approval-pending`. */
    call: (name, args) => send('POST', `/v1/tools/${encodeURIComponent(name)}`, args),
  };
}
