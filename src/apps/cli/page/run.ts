/** `pincer page`: login links for the control page, and the logins that came from them. */
import { Fault } from '../../../base/fault.ts';
import { stateFolder } from '../../../config/state.ts';
import { browserName } from '../../../wire/page/browser-name.ts';
import type { Login } from '../../../wire/page/login.ts';
import { LINK_MINUTES, ROLES } from '../../../wire/page/login-terms.ts';
import { issueLink } from '../../serve/page/login-link.ts';
import { servingIn } from '../../serve/serving-file.ts';
import type { Output } from '../../terminal/output.ts';
import { visibleLine } from '../../terminal/visible.ts';
import { readArguments, usage, wantsJson, verbIndex } from '../arguments.ts';
import { shapeOf, verbsOf } from '../definition.ts';
import { withGateway } from '../gateway.ts';
import { ifRecorded } from '../if-running.ts';
import { printJson } from '../print-json.ts';
import { refuseInsideSession } from '../refuse-inside-session.ts';
import { runCommand } from '../run-command.ts';
import { tableText } from '../table.ts';
import { userName } from '../user-name.ts';
import { definition } from './definition.ts';
import { openInBrowser } from './open-in-browser.ts';

export function runPage(argv: readonly string[], output: Output): Promise<number> {
  const json = wantsJson(argv, output.isTerminal);
  return runCommand(definition, argv, output, async () => {
    const at = verbIndex(argv);
    const verb = verbsOf(definition).find(({ name }) => name === argv[at])?.name;
    if (verb !== 'list') refuseInsideSession(verb === undefined ? 'pincer page' : `pincer page ${verb}`);
    if (verb === undefined) return link(argv, json, output);
    const { positionals } = readArguments(shapeOf(definition, verb), argv.toSpliced(at, 1));
    return verb === 'list' ? list(json, output) : revoke(positionals[0]!, json, output);
  });
}

async function link(argv: readonly string[], json: boolean, output: Output): Promise<number> {
  const shape = shapeOf(definition);
  const { options, flags } = readArguments(shape, argv);
  const role = ROLES.find((name) => name === (options['role'] ?? 'operator'));
  if (role === undefined)
    throw usage(shape, `--role must be ${ROLES.join(' or ')}, not ${JSON.stringify(options['role'])}`);
  const server = servingIn(stateFolder());
  if (server === undefined) throw notServing();
  const issued = await withGateway((gateway) => issueLink(gateway, server.url, role, userName()), false);
  if (json) printJson(output, issued);
  else output.out(`${issued.url}\n`);
  if (!json && !output.quiet) output.err(`works once, for ${LINK_MINUTES} minutes, with the role ${role}\n`);
  if (output.isTerminal && !json && !flags.has('no-open')) openInBrowser(issued.url, stateFolder());
  return 0;
}

async function list(json: boolean, output: Output): Promise<number> {
  const logins = (await ifRecorded('records', (gateway) => gateway.call('login.list', {}))) ?? [];
  if (json) printJson(output, logins);
  else
    output.out(
      logins.length === 0 ? 'no browser is logged in; pincer page prints a link\n' : loginTable(logins, output),
    );
  return 0;
}

async function revoke(id: string, json: boolean, output: Output): Promise<number> {
  const login = await withGateway((gateway) => gateway.call('login.revoke', { id, by: userName() }));
  if (json) printJson(output, login);
  else output.out(`logged out ${login.name} (${login.id})\n`);
  return 0;
}

function loginTable(logins: readonly Login[], { colour }: Output): string {
  const rows = logins.map(({ id, name, role, lastSeenAt, browser = '' }) => [
    id,
    name,
    role,
    new Date(lastSeenAt).toISOString().slice(0, 16).replace('T', ' '),
    visibleLine(browserName(browser)),
  ]);
  return tableText(['ID', 'NAME', 'ROLE', 'LAST SEEN (UTC)', 'BROWSER'], rows, colour);
}

function notServing(): Fault {
  return new Fault('SERVE_NOT_RUNNING', 'no server of this state folder is running, so there is no control page', {
    hint: 'start one with pincer serve (or pincer gateway), then run pincer page',
  });
}
