// @ts-check
/** A server that does nothing but answer: what it takes is the machine's, and not that of the server beside it. */
import { createServer } from 'node:http';

const server = createServer((_, response) => response.end('{"status":"ok"}'));
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object') console.log(address?.port);
});
process.once('disconnect', () => process.exit(0)); // its parent has ended
