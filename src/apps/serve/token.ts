/** The bearer token of the server, created at the first start in a file that only its owner can read. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { dirname, join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { makeFolder, whyUntrusted } from '../../hosts/files/state-folder.ts';
import { makeSecret, readSecret } from '../../hosts/files/secret-file.ts';

export interface Token {
  readonly file: string;
  readonly secret: string;
}

/** Characters that are valid in a header; at least 32, so that it cannot be guessed. */
const SHAPE = /^[\w.~+/=-]{32,512}$/u;

function tokenFile(stateDir: string): string {
  return join(stateDir, 'serve', 'token');
}

/** The token of a state folder, created if there is none. Throws SERVE_TOKEN if the file cannot be trusted. */
export function ownToken(stateDir: string): Token {
  const file = tokenFile(stateDir);
  try {
    makeFolder(dirname(file));
  } catch (error) {
    throw refused(
      file,
      (error as Error).message,
      'make the state folder writable, or set PINCER_STATE_DIR to another folder',
    );
  }
  const problem = whyUntrusted(dirname(file));
  if (problem !== undefined) throw refused(file, problem, `chmod 700 ${dirname(file)}`);
  return readToken(file) ?? makeToken(file);
}

/** The token in the operator's file. */
export function namedToken(file: string): Token {
  const token = readToken(file);
  if (token !== undefined) return token;
  throw refused(file, 'it does not exist', 'create it: head -c 32 /dev/urandom | base64 > FILE; chmod 600 FILE');
}

function readToken(file: string): Token | undefined {
  const found = readSecret(file);
  if (found === undefined) return undefined;
  if ('problem' in found) throw refused(file, found.problem, found.fix);
  const secret = found.bytes.toString('utf8').trim();
  if (!SHAPE.test(secret))
    throw refused(file, 'it does not contain a token of at least 32 characters', 'remove it, and a new one is created');
  return { file, secret };
}

function makeToken(file: string): Token {
  makeSecret(file, `${randomBytes(32).toString('base64url')}\n`);
  return namedToken(file);
}

/** Compares the token of a request in constant time. */
export function tokenCheck({ secret }: Pick<Token, 'secret'>): (authorization: string | undefined) => boolean {
  const wanted = digest(secret);
  return (authorization) => {
    const given = /^bearer +([^\s,]+)$/iu.exec(authorization ?? '')?.[1];
    return timingSafeEqual(digest(given ?? ''), wanted) && given !== undefined;
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function refused(file: string, why: string, hint: string): Fault {
  return new Fault('SERVE_TOKEN', `the token file ${file} cannot be used: ${why}`, { hint, details: { file } });
}
