/** The methods for the server of the control page: who may use it, and which events it can resume. */
import { ALL_AGENTS } from '../../wire/actor.ts';
import type { Method, Methods } from '../../wire/methods.ts';
import type { ApprovalStore } from '../approvals/shape.ts';
import { loginsIn } from '../logins/logins.ts';

type LoginMethod = Extract<Method, `login.${string}` | 'event.range'>;
type LoginHandlers = { readonly [M in LoginMethod]: (params: Methods[M]['params']) => Methods[M]['result'] };

const SECOND = 1000;

export function loginMethods(
  store: Pick<ApprovalStore, 'database' | 'audit' | 'range' | 'flush'>,
  now: () => number,
): LoginHandlers {
  const logins = loginsIn({
    database: store.database,
    now,
    audit: (by, details) => store.audit({ event: 'login', agent: ALL_AGENTS, by, details }),
  });
  return {
    'event.range': () => {
      store.flush(); // a number that was shown is not given again after a crash
      return store.range();
    },
    'login.link': ({ role, by, ttl }) => logins.link(role, by, ttl === undefined ? undefined : ttl * SECOND),
    'login.use': ({ code, browser }) => logins.use(code, browser),
    'login.prove': ({ cookie, handshake }) => logins.prove(cookie, handshake),
    'login.check': ({ cookie, page }) => logins.check(cookie, page),
    'login.list': () => logins.list(),
    'login.revoke': ({ id, by, keepCreated }) => logins.revoke(id, by, keepCreated),
    'login.record': ({ by, details }) => {
      store.audit({ event: 'page', agent: ALL_AGENTS, by, details });
      return {};
    },
  };
}
