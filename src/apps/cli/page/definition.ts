import { LINK_MINUTES, ROLES, UNUSED_DAYS } from '../../../wire/page/login-terms.ts';
import { type CommandDefinition, FORM_FLAGS } from '../definition.ts';

export const definition: CommandDefinition = {
  name: 'page',
  summary: 'open the control page, and manage its logins',
  title: 'print and open a login link for the control page of the running server',
  examples: ['page', 'page --role viewer --no-open', 'page list', 'page revoke operator-3'],
  usage: [
    { line: 'page [options]', summary: 'print a new login link, and open it in the browser' },
    { line: 'page list', summary: 'list the browsers that are logged in' },
    { line: 'page revoke <id>', summary: 'log a browser out; its pages close within a second' },
  ],
  positionals: [],
  verbs: [
    { name: 'list', positionals: [] },
    { name: 'revoke', positionals: ['id'] },
  ],
  flags: [
    {
      name: '--role',
      value: '<role>',
      summary: 'viewer: can only read; operator: can also answer, type and change settings (default: operator)',
      values: ROLES,
      verbs: [],
    },
    { name: '--no-open', summary: 'only print the link (default: also open it, on a terminal)', verbs: [] },
    ...FORM_FLAGS,
  ],
  notes: [
    `The page is served by pincer serve and pincer gateway. A link works once and for ${LINK_MINUTES} minutes; the first person who opens it gets the login, so treat it as a password. A login ends when its browser has not used it for ${UNUSED_DAYS} days.`,
    'A command in a session gets no link, and the token of agents opens no page: an agent must not answer its own questions.',
    'revoke takes an id or a name of page list. It also revokes the logins whose links were created from that login. Links, logins and everything that a page changes are in the audit log (pincer events --audit).',
  ],
  exit: '0 done; 1 no server is running, the login is unknown, or not allowed inside a session; 2 invalid arguments',
};
