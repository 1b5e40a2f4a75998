// @ts-check
/** A server on this machine only. */

/** Listens on a free port, and gives the port. @param {import('node:http').Server} server @returns {Promise<number>} */
export async function listenOnLoopback(server) {
  await new Promise((done) => {
    server.listen(0, '127.0.0.1', () => done(undefined));
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address.port;
}

/** Ends it, and whoever is still connected. @param {import('node:http').Server} server @returns {Promise<void>} */
export function closeServer(server) {
  return new Promise((done) => {
    server.close(() => done());
    server.closeAllConnections();
  });
}
