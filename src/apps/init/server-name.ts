/** Whose server has a name in a client: by what the entries of this name in the client's files start. */
import { existsSync } from 'node:fs';
import { readClientFile } from './client-file.ts';
import { type Client, SERVER_NAME, type Surroundings } from './clients.ts';
import { serverTarget } from './targets.ts';

/** `unknown` is a server that none of the files has: of a plug-in, of a command line, of a scope that is not read. */
export type ServerOwner = 'pincer' | 'other' | 'unknown';

/** Whose server it is; one entry of ours is enough, because it is not known which of several the client uses. */
export async function ownerOfServer(client: Client, name: string, at: Surroundings): Promise<ServerOwner> {
  if (name === SERVER_NAME) return 'pincer';
  let owner: ServerOwner = 'unknown';
  for (const path of client.scopes.flatMap((scope) => client.files(scope, at))) {
    if (!existsSync(path)) continue;
    const { editor } = await serverTarget(client, path, {}, name);
    const text = readClientFile(path);
    if (editor.find(text) !== undefined) return 'pincer';
    if (editor.isTaken(text)) owner = 'other';
  }
  return owner;
}
