/** The secret that every request brings along: made at the first start, in a file that only its owner reads. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { dirname, join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { makeFolder, whyUntrusted } from '../../hosts/files/state-folder.ts';
import { makeSecret, readSecret } from '../secret-file.ts';

/** A secret and where it stands. */
export interface Token {
  readonly file: string;
  readonly secret: string;
}

/** Letters that a header can carry; a secret that could be guessed is none. */
const SHAPE = /^[\w.~+/=-]{32,512}$/u;

/** Where the secret of a state folder stands. */
function tokenFile(stateDir: string): string {
  return join(stateDir, 'serve', 'token');
}

/** The secret of a state folder, made when there is none. Throws SERVE_TOKEN where the file cannot be trusted. */
export function ownToken(stateDir: string): Token {
  const file = tokenFile(stateDir);
  try {
    makeFolder(dirname(file));
  } catch (error) {
    throw refused(
      file,
      (error as Error).message,
      'make the state folder writable, or name another in PINCER_STATE_DIR',
    );
  }
  const problem = whyUntrusted(dirname(file));
  if (problem !== undefined) throw refused(file, problem, `chmod 700 ${dirname(file)}`);
  return readToken(file) ?? makeToken(file);
}

/** The secret in a file that the operator names. */
export function namedToken(file: string): Token {
  const token = readToken(file);
  if (token !== undefined) return token;
  throw refused(file, 'it does not exist', 'make it: head -c 32 /dev/urandom | base64 > FILE; chmod 600 FILE');
}

function readToken(file: string): Token | undefined {
  const found = readSecret(file);
  if (found === undefined) return undefined;
  if ('problem' in found) throw refused(file, found.problem, found.fix);
  const secret = found.bytes.toString('utf8').trim();
  if (!SHAPE.test(secret))
    throw refused(file, 'it holds no secret of 32 letters or more', 'remove it, and another one is made');
  return { file, secret };
}

function makeToken(file: string): Token {
  makeSecret(file, `${randomBytes(32).toString('base64url')}\n`);
  return namedToken(file);
}

/** Tells whether a request brings the secret, in a time that says nothing about how much of it was right. */
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
