/** `pincer nodes`: pairs machines with the gateway, and manages them. */
import { Fault } from '../../../base/fault.ts';
import type { Gateway } from '../../../wire/methods.ts';
import type { NodeInfo } from '../../../wire/nodes/node.ts';
import { paint } from '../../terminal/paint.ts';
import type { Output } from '../../terminal/output.ts';
import { visibleLine } from '../../terminal/visible.ts';
import { type ParsedArguments, readArguments, wantsJson, verbIndex } from '../arguments.ts';
import { currentFolder } from '../current-folder.ts';
import { shapeOf, unknownVerb, verbsOf } from '../definition.ts';
import { withGateway } from '../gateway.ts';
import { ifRecorded } from '../if-running.ts';
import { configuredBindings, lostBindings } from '../../node-bindings.ts';
import { printJson } from '../print-json.ts';
import { refuseInsideSession } from '../refuse-inside-session.ts';
import { runCommand } from '../run-command.ts';
import { userName } from '../user-name.ts';
import { definition } from './definition.ts';
import { detailsText, nodeTable, pendingTable } from './node-text.ts';

const READING: ReadonlySet<string> = new Set(['list', 'pending', 'show']);

export function runNodes(argv: readonly string[], output: Output): Promise<number> {
  const json = wantsJson(argv, output.isTerminal);
  return runCommand(definition, argv, output, async () => {
    const at = verbIndex(argv);
    const verb = at < 0 ? 'list' : argv[at]!;
    if (verbsOf(definition).every(({ name }) => name !== verb)) throw unknownVerb(definition, verb);
    const args = readArguments(shapeOf(definition, verb), at < 0 ? argv : argv.toSpliced(at, 1));
    if (!READING.has(verb)) refuseInsideSession(`pincer nodes ${verb}`);
    return run(verb, args, output, json);
  });
}

async function run(verb: string, args: ParsedArguments, output: Output, json: boolean): Promise<number> {
  const { positionals, options } = args;
  const [node = '', name = ''] = positionals;
  const by = userName();
  const print = (value: object, text: () => string): number => {
    if (json) printJson(output, value);
    else output.out(text());
    return 0;
  };
  const changed = async (work: (gateway: Gateway) => Promise<NodeInfo>, text: (node: NodeInfo) => string) => {
    const info = await withGateway(work);
    return print(info, () => `${text(info)}\n`);
  };
  /** Also names the settings that do not mean this node any more. */
  const rebound = async (
    work: (gateway: Gateway) => Promise<NodeInfo>,
    text: (node: NodeInfo, isListed: boolean) => string,
  ) => {
    const { info, before, after } = await withGateway(async (gateway) => ({
      before: await gateway.call('node.list', {}),
      info: await work(gateway),
      after: await gateway.call('node.list', {}),
    }));
    const warnings = lostBindings(await configuredBindings(currentFolder()), info.id, before, after);
    return print({ ...info, ...(warnings.length === 0 ? {} : { warnings }) }, () =>
      [
        text(
          info,
          after.some(({ id }) => id === info.id),
        ),
        ...warnings.map((warning) => `warning: ${visibleLine(warning)}`),
        '',
      ].join('\n'),
    );
  };
  switch (verb) {
    case 'list': {
      const found = await ifRecorded('records', async (client) => ({
        nodes: await client.call('node.list', {}),
        status: (await client.call('daemon.status', {})).nodes,
      }));
      const { nodes, status } = found ?? { nodes: [], status: undefined };
      return print(nodes, () => nodeTable(nodes, status, Date.now(), output.colour));
    }
    case 'pending': {
      const nodes = (await ifRecorded('records', (client) => client.call('node.pending', {}))) ?? [];
      return print(nodes, () => pendingTable(nodes, Date.now(), output.colour));
    }
    case 'show': {
      const info = await withGateway((gateway) => gateway.call('node.show', { node }));
      return print(info, () => detailsText(info, Date.now(), output.colour));
    }
    case 'approve': {
      const { replaces } = options;
      // The digits are shown in two groups.
      const params = { node: positionals.join(' '), by, ...(replaces === undefined ? {} : { replaces }) };
      const info = await withGateway((gateway) => gateway.call('node.approve', params));
      const done = info.allowedAgain === true ? 'may connect again:' : 'paired';
      return print(
        info,
        () => `${done} ${label(info, output)}\n${info.allowedAgain === true ? '' : confirmText(info)}`,
      );
    }
    case 'reject':
      return changed(
        (gateway) => gateway.call('node.reject', { node, by }),
        (info) => `rejected ${label(info, output)}`,
      );
    case 'rename':
      return rebound(
        (gateway) => gateway.call('node.rename', { node, name }),
        (info) => `renamed ${node} to ${label(info, output)}`,
      );
    case 'remove':
      return rebound(
        (gateway) => gateway.call('node.remove', { node, by }),
        (info, isListed) => removedText(info, isListed, output),
      );
    case 'nats-setup':
      return (await import('./nats-setup.ts')).runNatsSetup(args, print);
    default: {
      const { url } = options;
      const { invitation, expiresAt } = await invite({ by, ...(url === undefined ? {} : { url }) });
      return print({ invitation, expiresAt }, () => inviteText(invitation));
    }
  }
}

/** The digits of this gateway: on a machine that another one answered, they differ. */
function confirmText({ code = '<digits>' }: NodeInfo): string {
  return `run there: pincer node confirm ${code}\n`;
}

/** The first removal keeps the node in the list, to refuse it. */
function removedText(info: NodeInfo, isListed: boolean, output: Output): string {
  return isListed
    ? `removed ${label(info, output)}: it is refused from now on\nto remove it from the list, too: pincer nodes remove ${info.id}`
    : `removed ${label(info, output)} from the list\nwarning: this gateway no longer refuses it: that machine can request pairing again`;
}

function label({ name, id }: NodeInfo, output: Output): string {
  return `${paint(output.colour).value(name)} (${id})`;
}

/** A daemon that this command started would not listen for nodes. */
async function invite(params: { readonly by: string; readonly url?: string }) {
  try {
    return await withGateway((gateway) => gateway.call('node.invite', params), false);
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'GATEWAY_NOT_RUNNING') throw error;
    throw new Fault('NODE_NOT_LISTENING', 'no gateway is running', {
      hint: 'run pincer gateway; before the first start: pincer config set nodes.listen 127.0.0.1:7463, or an address that the nodes reach',
    });
  }
}

function inviteText(invitation: string): string {
  // Arguments of a process are visible to all users of its machine.
  return `Run this on the other machine within ten minutes, and paste the invitation:\n\npincer node run --invitation -\n\n${invitation}\n`;
}
