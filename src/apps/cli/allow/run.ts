/** `pincer allow`: stores a rule for a command after it has said what the command may do. */
import { isatty } from 'node:tty';
import { resolve } from 'node:path';
import { agentName } from '../../../config/agent.ts';
import { homeFolder, stateFolder } from '../../../config/state.ts';
import { approvalsFileIn } from '../../../hosts/gateway/approvals/approvals-file.ts';
import { jsonOutput, type Output } from '../../terminal/output.ts';
import { type ParsedArguments, readArguments, usage, wantsJson } from '../arguments.ts';
import { shapeOf } from '../definition.ts';
import { printJson } from '../print-json.ts';
import { refuseInsideSession } from '../refuse-inside-session.ts';
import { runCommand } from '../run-command.ts';
import { userName } from '../user-name.ts';
import { definition } from './definition.ts';
import type { Choice } from './ask-where.ts';
import { planRule, storeRule } from './plan-rule.ts';
import { outcomeText, planText } from './render.ts';
import { listRules, removeRule } from './stored-rules.ts';
import { expiryOf } from './until.ts';

const SHAPE = shapeOf(definition);

export function runAllow(argv: readonly string[], output: Output): Promise<number> {
  const json = wantsJson(argv, output.isTerminal);
  return runCommand(definition, argv, output, async () => {
    const args = readArguments(SHAPE, argv);
    const out = json ? jsonOutput(output) : output;
    const file = approvalsFileIn(stateFolder(), { home: homeFolder() });
    const { list } = listing(args);
    if (list) return listRules({ file, output: out, json, agent: args.options['agent'], home: homeFolder() });
    refuseInsideSession('storing rules');
    const { remove } = args.options;
    if (remove !== undefined)
      return removeRule(remove, { file, output: out, json, agent: args.options['agent'], home: homeFolder() });
    return add(args, json, out);
  });
}

function listing({ positionals, flags, options }: ParsedArguments): { readonly list: boolean } {
  const given = [
    positionals.length > 0 ? 'a command' : '',
    flags.has('list') ? '--list' : '',
    options['remove'] === undefined ? '' : '--remove',
  ].filter((one) => one !== '');
  if (given.length > 1) throw usage(SHAPE, `${given.join(' and ')} exclude each other`);
  if (given.length === 0)
    throw usage(SHAPE, 'the argument <command> is missing', "name a command: pincer allow 'npm test'");
  return { list: flags.has('list') };
}

async function add({ positionals, flags, options }: ParsedArguments, json: boolean, output: Output): Promise<number> {
  const where = options['where'];
  if (where !== undefined && where !== 'sandbox' && where !== 'gateway')
    throw usage(SHAPE, `--where ${JSON.stringify(where)} is unknown`, 'use --where sandbox or --where gateway');
  const isAsked = where === undefined && !json && output.isTerminal && isatty(0);
  if (where === undefined && !isAsked)
    throw usage(
      SHAPE,
      'without a terminal, --where is required',
      'add --where sandbox or --where gateway; nothing was stored',
    );
  const { agent = agentName(), until } = options;
  const now = Date.now();
  const expiresAt = until === undefined ? undefined : expiryOf(SHAPE, until, now);
  const plan = await planRule(positionals[0]!, {
    folder: resolve('.'),
    below: resolve(options['below'] ?? '.'),
    agent,
    isUnbound: flags.has('unbound'),
  });
  if ('refused' in plan) return refused(plan, json, output);
  if (!json) output.out(planText(plan, where, output.colour));
  const chosen: Choice | 'no' | 'stopped' =
    where === undefined ? await (await import('./ask-where.ts')).askWhere(plan, now) : { where };
  if (chosen === 'stopped' || chosen === 'no') {
    output.out('nothing was stored\n');
    return chosen === 'no' ? 1 : 130;
  }
  const expiry = chosen.expiresAt ?? expiresAt;
  const outcome = await storeRule(plan, {
    where: chosen.where,
    by: userName(),
    at: now,
    ...(expiry === undefined ? {} : { expiresAt: expiry }),
  });
  if ('refused' in outcome) return refused(outcome, json, output);
  if (json) printJson(output, outcome);
  else output.out(outcomeText(outcome, plan.described, output.colour));
  return 0;
}

function refused(
  { refused: message, hint }: { readonly refused: string; readonly hint: string },
  json: boolean,
  output: Output,
): number {
  if (json) printJson(output, { stored: null, refused: message, hint });
  else output.out(`not stored: ${message}\n  ${hint}\n`);
  return 1;
}
