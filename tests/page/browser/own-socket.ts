/** What a hostile script would do with the login of a browser: calls over a socket of its own, past the buttons. */
import type { Page } from 'playwright-core';
import type { ToPage } from '../../../src/wire/page.ts';

const CALL = `async ([method, params]) => {
  const socket = new WebSocket(new URL('/page/socket', location.href.replace(/^http/u, 'ws')));
  const answer = new Promise((resolve, reject) => {
    socket.onclose = ({ reason }) => reject(new Error('closed: ' + reason));
    socket.onmessage = ({ data }) => {
      const message = JSON.parse(data);
      if (message.type === 'challenge') void prove(message.nonce);
      if (message.type === 'welcome') socket.send(JSON.stringify({ type: 'call', id: 1, method, params }));
      if (message.id === 1) resolve(message);
    };
  });
  const bytes = (text) => new TextEncoder().encode(text);
  const prove = async (nonce) => {
    const hash = await crypto.subtle.digest('SHA-256', bytes(localStorage.getItem('pincer.key')));
    const key = await crypto.subtle.importKey('raw', hash, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
    const text = JSON.stringify(['pincer page', 'page', location.origin, Number(localStorage.getItem('pincer.port')), 'n', nonce]);
    const proof = new Uint8Array(await crypto.subtle.sign('HMAC', key, bytes(text)));
    socket.send(JSON.stringify({ type: 'proof', proof: [...proof].map((byte) => byte.toString(16).padStart(2, '0')).join('') }));
  };
  socket.onopen = () => socket.send(JSON.stringify({ type: 'hello', nonce: 'n' }));
  try {
    return await answer;
  } finally {
    socket.close();
  }
}`;

/** The answer of the server. */
export function callAsPage(page: Page, method: string, params: object): Promise<ToPage> {
  return page.evaluate(`(${CALL})(${JSON.stringify([method, params])})`) as Promise<ToPage>;
}
