/** The methods for the server of the control page: who may use it, and which events it can resume. */
import { checkedLogin, login, loginHandshake, loginLink, provenLogin, role, usedLink } from '../page/login.ts';
import { array, json, literal, number, object, record, string } from '../schema.ts';
import { count, method } from './method.ts';

const none = object({});
const seqRange = object({ first: count, last: count });

export const LOGIN_METHODS = {
  'event.range': method(
    'The numbers of the stored notices and audit entries. `first` is the oldest one that is kept, `last` the newest one ever stored.',
    none,
    object({
      /** The id of the database. */
      store: string(),
      notice: seqRange,
      audit: seqRange,
    }),
  ),
  'login.link': method(
    'Creates a one-time login link for the control page.',
    object(
      { role, by: string() },
      {
        /** How long it works, in seconds (default and maximum: 600). */
        ttl: number({ min: 1 }),
      },
    ),
    loginLink,
  ),
  'login.use': method(
    'Exchanges the code of a link for a login. The first use wins.',
    object({ code: string({ max: 200 }) }, { browser: string() }),
    usedLink,
  ),
  'login.prove': method(
    'Proves to the page of a login that this server knows the login.',
    object({ cookie: string({ max: 200 }), handshake: loginHandshake }),
    provenLogin,
  ),
  'login.check': method(
    'Checks the cookie of a login; with `page`, also the proof that the page has the key.',
    object(
      { cookie: string({ max: 200 }) },
      { page: object({ handshake: loginHandshake, proof: string({ max: 200 }) }) },
    ),
    checkedLogin,
  ),
  'login.list': method('The logins of the control page.', none, array(login)),
  'login.revoke': method(
    'Ends a login, its links, and the logins that were created from it.',
    object(
      { id: string(), by: string() },
      {
        /** Keeps the logins that were created from it: a person logs out. */
        keepCreated: literal(true),
      },
    ),
    login,
  ),
  'login.record': method(
    'Records an action of a page in the audit log, for methods that have no `by`.',
    object({ by: string(), details: record(json({ depth: 20, values: 1_000 })) }),
    none,
  ),
} as const;
