/** `pincer nodes`: pairs machines with the gateway, and manages them. */
import { Fault } from '../../../base/fault.ts';
import type { Gateway } from '../../../wire/methods.ts';
import type { NodeInfo } from '../../../wire/node.ts';
import { paint } from '../../terminal/paint.ts';
import type { Output } from '../../terminal/output.ts';
import { type ParsedArguments, readArguments, wantsJson } from '../arguments.ts';
import { shapeOf, unknownVerb, verbsOf } from '../definition.ts';
import { withGateway } from '../gateway.ts';
import { ifRecorded } from '../if-running.ts';
import { printJson } from '../print-json.ts';
import { refuseInsideSession } from '../refuse-inside-session.ts';
import { runCommand } from '../run-command.ts';
import { userName } from '../user-name.ts';
import { definition } from './definition.ts';
import { detailsText, nodeTable, pendingTable } from './node-text.ts';

const FORM = ['--json', '--human', '--quiet', '-q'];
const READING: ReadonlySet<string> = new Set(['list', 'pending', 'show']);

export function runNodes(argv: readonly string[], output: Output): Promise<number> {
  const json = wantsJson(argv, output.isTerminal);
  return runCommand(definition, argv, output, async () => {
    // Flags may precede the verb: `pincer nodes --json list`.
    const at = argv.findIndex((arg) => !FORM.includes(arg));
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
  switch (verb) {
    case 'list': {
      const nodes = (await ifRecorded('records', (client) => client.call('node.list', {}))) ?? [];
      return print(nodes, () => nodeTable(nodes, Date.now(), output.colour));
    }
    case 'pending': {
      const nodes = (await ifRecorded('records', (client) => client.call('node.pending', {}))) ?? [];
      return print(nodes, () => pendingTable(nodes, Date.now(), output.colour));
    }
    case 'show': {
      const info = await withGateway((gateway) => gateway.call('node.show', { node }));
      return print(info, () => detailsText(info, Date.now()));
    }
    case 'approve': {
      const { replaces } = options;
      const params = { node, by, ...(replaces === undefined ? {} : { replaces }) };
      return changed(
        (gateway) => gateway.call('node.approve', params),
        (info) => `paired ${label(info, output)}`,
      );
    }
    case 'reject':
      return changed(
        (gateway) => gateway.call('node.reject', { node, by }),
        (info) => `rejected ${label(info, output)}`,
      );
    case 'rename':
      return changed(
        (gateway) => gateway.call('node.rename', { node, name }),
        (info) => `renamed ${label(info, output)}`,
      );
    case 'remove':
      return changed(
        (gateway) => gateway.call('node.remove', { node, by }),
        (info) => `removed ${label(info, output)}`,
      );
    default: {
      const { url } = options;
      const { invitation, expiresAt } = await invite({ by, ...(url === undefined ? {} : { url }) });
      return print({ invitation, expiresAt }, () => inviteText(invitation));
    }
  }
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
      hint: 'set the address with pincer config set nodes.listen 127.0.0.1:7463, then run pincer gateway',
    });
  }
}

function inviteText(invitation: string): string {
  return `Run this on the other machine within ten minutes:\n\npincer node run --invitation ${invitation}\n`;
}
