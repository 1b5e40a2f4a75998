// @ts-check
/**
 * Stands in front of `pincer serve` for a client that cannot send a token: adds it, and passes everything else on as it came,
 * the `Host` and `Origin` too. So the suite meets the checks of the real server, and the server needs no way around its token.
 */
import { createServer, request } from 'node:http';
import { closeServer, listenOnLoopback } from './support/loopback.mjs';

/** @param {string} url of the server @param {string} token @returns {Promise<{ url: string, close: () => Promise<void> }>} */
export async function startTokenProxy(url, token) {
  const target = new URL(url);
  const server = createServer((incoming, outgoing) => {
    const onward = request(
      {
        host: target.hostname,
        port: target.port,
        method: incoming.method,
        path: incoming.url,
        headers: { ...incoming.headers, authorization: `Bearer ${token}` },
        setHost: false,
      },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        outgoing.flushHeaders(); // an event stream that says nothing yet has begun all the same
        answer.pipe(outgoing);
      },
    );
    onward.on('error', () => outgoing.destroy());
    outgoing.on('close', () => onward.destroy());
    incoming.pipe(onward);
  });
  const port = await listenOnLoopback(server);
  return { url: `http://127.0.0.1:${port}${target.pathname}`, close: () => closeServer(server) };
}
