/** Calls the tools of a running server: `npm start` in one shell, `node examples/http/main.mjs <url> <token file>` in another. */
import { readFileSync } from 'node:fs';
import { pincer } from './client.mjs';

const [url, tokenFile] = process.argv.slice(2);
if (url === undefined || tokenFile === undefined)
  throw new Error('give the address and the token file that pincer serve prints');
const server = pincer({ url, token: readFileSync(tokenFile, 'utf8').trim() });
console.log(`tools: ${(await server.tools()).map(({ name }) => name).join(', ')}`);
for (const { name, args } of [
  { name: 'read', args: { path: 'README.md', limit: 3 } },
  { name: 'exec', args: { command: 'echo hello' } },
]) {
  const { content } = await server.call(name, args);
  console.log(`${name}: ${content[0].text}`);
}
