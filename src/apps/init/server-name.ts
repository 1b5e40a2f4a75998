/** Whose server has a name in a client: by what the entries of this name in the client's files start. */
import { existsSync } from 'node:fs';
import { type Client, SERVER_NAME, type Surroundings } from './clients.ts';
import { isOtherServer } from './other-server.ts';
import { isOurServer } from './ours.ts';
import { entryNamed } from './targets.ts';

/**
 * `unclear` is an entry that may lead to pincer through another program; `unknown` a server that none of the files has: of a
 * plug-in, of a command line, of a scope that is not read.
 */
export type ServerOwner = 'pincer' | 'other' | 'unclear' | 'unknown';

/** Whose server it is. It is not known which of several entries the client uses, so the one that is closest to ours counts. */
export async function ownerOfServer(client: Client, name: string, at: Surroundings): Promise<ServerOwner> {
  if (name === SERVER_NAME) return 'pincer';
  const owners: ServerOwner[] = [];
  for (const path of client.scopes.flatMap((scope) => client.files(scope, at)))
    if (existsSync(path)) owners.push(ownerOf(await entryNamed(client, path, name), at));
  return (['pincer', 'unclear', 'other'] as const).find((owner) => owners.includes(owner)) ?? 'unknown';
}

function ownerOf(entry: unknown, at: Surroundings): ServerOwner {
  if (entry === undefined) return 'unknown';
  if (isOurServer(entry)) return 'pincer';
  return isOtherServer(entry, at) ? 'other' : 'unclear';
}
