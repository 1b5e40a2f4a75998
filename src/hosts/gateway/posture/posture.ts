/**
 * One sentence about what happens to an agent's commands. It is computed, not described: the functions that route and decide
 * commands are called for a command that a rule allows and for one that no rule matches.
 */
import { Fault } from '../../../base/fault.ts';
import { decide } from '../../../policy/decide.ts';
import { effectivePolicy } from '../../../policy/effective.ts';
import type { Caller } from '../../../wire/exec.ts';
import type { NodeInfo } from '../../../wire/nodes/node.ts';
import type { Judgement, Verdict } from '../../../wire/policy.ts';
import { type CommandPosture, placeText, type PolicyReport } from '../../../wire/posture.ts';
import type { ExecSettings, SettingPlace } from '../../../wire/settings.ts';
import type { PolicyInputs, Route } from '../../host.ts';
import { isSandboxed } from '../../sandbox/owner.ts';
import { sandboxText } from '../inside/instead-of-asking.ts';
import { limitsText, noSandboxText, reachText } from './posture-limits.ts';
import { elevatedPolicy } from '../elevation.ts';
import { chooseFilesNode } from '../nodes/node-tools.ts';
import { runsUnanswered, TOOL_DENIED, type Treatment, treatmentOf } from '../treatment.ts';
import { rulesOf } from '../rules.ts';
import { routeOf } from '../route.ts';

/** The posture of a caller; `unavailable` is why the caller's sandbox cannot be created. */
export function postureOf(inputs: PolicyInputs, caller: Caller, unavailable?: string): CommandPosture {
  const { settings, approvals, conversation } = inputs;
  const { backend, workspaceAccess } = settings.sandbox;
  // File tools run in it even where the host of commands cannot be used.
  const sandbox = isSandboxed(settings.sandbox, caller)
    ? { sandbox: { backend, workspaceAccess, ...(unavailable === undefined ? {} : { unavailable }) } }
    : {};
  const files = { ...sandbox, ...filesNodeOf(inputs), ...nodesOf(inputs, caller) };
  let route: Route;
  try {
    route = routeOf({ command: '' }, { caller }, inputs);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const effective = effectivePolicy({ config: settings, conversation, call: {}, approvals });
    const commands = `commands fail: host=${effective.host} (${effective.from.host}), and ${error.message}`;
    return { kind: 'failing', commands, effective, isJudged: true, runsOn: effective.host, ...files };
  }
  const { effective, isJudged, runsOn } = route;
  const found = commandsOf(inputs, route, unavailable);
  return {
    ...found,
    ...(found.kind === 'open' ? { change: changeOf(inputs, caller, route) } : {}),
    ...(found.kind === 'sandboxed' ? { limits: limitsText(settings.sandbox) } : {}),
    effective,
    isJudged,
    runsOn,
    ...files,
  };
}

const MOST_NODES = 20;

/** The nodes that the caller may choose, as the route of such a command decides. */
function nodesOf(inputs: PolicyInputs, caller: Caller): Pick<CommandPosture, 'nodes'> {
  if (!inputs.settings.execAllowed) return {};
  const connected = inputs.nodes?.().filter((node) => node.connected) ?? [];
  const names = connected.flatMap(({ id, name }) => {
    try {
      const { effective } = routeOf({ command: '', host: 'node', node: id }, { caller }, inputs);
      return effective.security === 'deny' ? [] : [name];
    } catch (error) {
      if (error instanceof Fault) return []; // the caller may not use it
      throw error;
    }
  });
  return names.length === 0 ? {} : { nodes: names.slice(0, MOST_NODES) };
}

/** The node that a call of a file tool would choose. */
function filesNodeOf(inputs: PolicyInputs): Pick<CommandPosture, 'filesNode'> {
  const { node: name } = inputs.settings.files;
  if (name === undefined) return {};
  if (inputs.nodes === undefined) return { filesNode: { name } }; // only a daemon knows its nodes
  const choice = chooseFilesNode(inputs, name);
  if ('fault' in choice) return { filesNode: { name, unavailable: choice.fault.message } };
  const { workspace, files: access } = choice.node.offer;
  return { filesNode: { name: choice.node.name, access, ...(workspace === undefined ? {} : { workspace }) } };
}

/** The posture with the rules that judge commands; `remarks` are those about the approvals file. */
export function policyReport(
  inputs: PolicyInputs,
  caller: Caller,
  { remarks, unavailable }: { readonly remarks: readonly string[]; readonly unavailable?: string | undefined },
): PolicyReport {
  const { settings, approvals, conversation } = inputs;
  const { pathPrepend, execAllowed, headless } = settings;
  const layers = { config: settings, conversation: { ...conversation, host: 'gateway' }, call: {}, approvals } as const;
  return {
    posture: postureOf(inputs, caller, unavailable),
    rules: rulesOf(inputs),
    pathPrepend,
    settings: { execAllowed, headless },
    gateway: effectivePolicy(layers),
    ...(approvals.broken === undefined ? {} : { broken: approvals.broken }),
    ...(unavailable === undefined ? {} : { noSandbox: unavailable }),
    remarks: [...remarks.map((remark) => `exec-approvals.json: ${remark}`), ...settings.warnings],
  };
}

/** The values that decide, with their layers. */
export function valuesText(posture: Pick<CommandPosture, 'effective' | 'isJudged' | 'runsOn'>): string {
  const { effective, isJudged } = posture;
  const { host, node, from } = effective;
  const names = isJudged ? (['security', 'ask', 'askFallback'] as const) : [];
  return [
    `host=${host} (${from.host})${isJudged ? '' : `: ${placeText(posture)}`}`,
    ...(node === undefined ? [] : [`node=${node}`]),
    ...names.map((name) => `${name}=${effective[name]} (${from[name]})`),
  ].join(', ');
}

/** What happens to a command that a rule allows, and to one that no rule matches. */
export function treatmentsOf({
  settings,
  effective,
  noSandbox,
}: Pick<PolicyReport, 'settings'> & Pick<Route, 'effective'> & { readonly noSandbox?: string | undefined }): {
  readonly listed: Treatment;
  readonly unlisted: Treatment;
} {
  const [listed, unlisted] = [LISTED, UNLISTED].map((sample) =>
    treatmentOf({ settings, effective, noSandbox, judgement: decide(effective, sample) }),
  ) as [Treatment, Treatment];
  return { listed, unlisted };
}

/** Which layer chose the node. */
export function originText(from: Route['nodeFrom']): string {
  if (from === undefined) return '';
  return ` (${from === 'only' ? 'the only one that is connected' : NODE_ORIGINS[from]})`;
}

const NODE_ORIGINS = {
  call: 'the call',
  conversation: '/exec node=',
  agent: 'agents.list[].tools.exec.node',
  global: 'tools.exec.node',
} as const;

function nodeText({ sandbox, sandboxUnavailable, unconfirmed }: NodeInfo['offer']): string {
  if (sandboxUnavailable === true) return 'refuses them, because no sandbox works there';
  if (sandbox === true) return 'runs them in a sandbox';
  return `judges them by its own rules${unconfirmed === true ? UNCONFIRMED : ''}`;
}

const UNCONFIRMED = ' and asks a person there about each one, until pincer node confirm was run there';

type Commands = Pick<CommandPosture, 'kind' | 'commands'>;

function commandsOf(inputs: PolicyInputs, route: Route, unavailable: string | undefined): Commands {
  const { settings, approvals } = inputs;
  const { effective, isInside, hasSandbox, isJudged, node } = route;
  if (!settings.execAllowed) return { kind: 'denied', commands: `commands are refused: ${TOOL_DENIED}` };
  if (isInside && unavailable !== undefined)
    return {
      kind: 'failing',
      commands: `commands fail: they must run in a sandbox (${settings.sandbox.backend}), and ${unavailable}`,
    };
  if (isInside)
    return {
      kind: 'sandboxed',
      commands: `commands run in a sandbox (${settings.sandbox.backend}) and are not judged: the sandbox limits what they can reach (${reachText(settings.sandbox)})`,
    };
  if (node !== undefined)
    return effective.security === 'deny'
      ? { kind: 'denied', commands: `commands are refused: ${whyText(inputs, route, false)}` }
      : {
          kind: 'judged',
          commands: `commands run on node ${node.name}${originText(route.nodeFrom)}, which ${nodeText(node.offer)}`,
        };
  const here = hasSandbox ? 'on this machine (not in a sandbox)' : 'on this machine';
  if (!isJudged)
    return {
      kind: 'open',
      commands: `commands run directly on this machine and are not judged: ${noSandboxText(settings.sandbox)}, and rules need host=gateway, not host=sandbox (${effective.from.host})`,
    };
  const [allowed, missed] = ([LISTED, UNLISTED] as const).map((sample) => decide(effective, sample)) as [
    Judgement,
    Judgement,
  ];
  const { listed, unlisted } = treatmentsOf({ settings, effective, noSandbox: unavailable });
  const asks = allowed.verdict === 'ask' || missed.verdict === 'ask';
  const by = whyText(inputs, route, asks);
  if (listed === 'run' && unlisted === 'run') {
    const rules = approvals.deny.length + settings.denyRules.length;
    const exceptions = [
      ...(rules === 0 ? [] : [`by ${rules} deny ${rules === 1 ? 'rule' : 'rules'}`]),
      ...(missed.verdict === 'ask' ? ['where only a person may answer'] : []),
    ];
    const but = exceptions.length === 0 ? '' : `, except ${exceptions.join(' and ')}`;
    return { kind: 'open', commands: `commands run ${here} and are not judged${but}: ${by}` };
  }
  const unanswered = runsUnanswered({ effective, judgement: missed }) ? ', and run if no person answers' : '';
  if (listed === 'ask' && unlisted === 'ask')
    return { kind: 'judged', commands: `every command asks a person before it runs ${here}${unanswered}: ${by}` };
  if (listed !== 'run') return { kind: 'denied', commands: `commands are refused: ${by}` };
  const sandboxed = `run in ${sandboxText(settings.sandbox)}, or ask a person${unanswered} where that does not confine them`;
  const noSandbox =
    effective.onMiss === 'sandbox' && unavailable !== undefined ? ` (the sandbox cannot be used: ${unavailable})` : '';
  const others =
    unlisted === 'sandbox' ? sandboxed : unlisted === 'ask' ? `ask a person${unanswered}${noSandbox}` : 'are refused';
  return { kind: 'judged', commands: `commands run ${here} when a rule allows them, others ${others}: ${by}` };
}

/** The values that decided, with their layers. */
function whyText(
  { settings, approvals, conversation }: PolicyInputs,
  { effective, elevation }: Route,
  asks: boolean,
): string {
  const { security, ask, askFallback, from } = effective;
  const level = conversation.elevated === undefined ? 'config' : 'conversation';
  const broken =
    approvals.broken !== undefined && security === 'deny' ? ', and exec-approvals.json cannot be used' : '';
  const headless = settings.headless ? ['approvals.headless=true'] : [];
  return [
    ...(elevation === 'off' ? [] : [`elevated=${elevation} (${level})`]),
    `security=${security} (${from.security})${broken}`,
    ...(security === 'deny' ? [] : [`ask=${ask} (${from.ask})`]),
    ...(asks ? headless : []),
    ...(asks && (settings.headless || askFallback !== 'deny')
      ? [`askFallback=${askFallback} (${from.askFallback})`]
      : []),
  ].join(', ');
}

/** The judgement of a program that a rule allows, and of one that no rule matches. */
const LISTED = sampleOf('allow', 'allowlisted');
const UNLISTED = sampleOf('ask', 'allowlist-miss');

function sampleOf(verdict: Verdict, code: string): Judgement {
  const stage = { argv: [], span: { start: 0, end: 0 }, verdict, code, reason: '' };
  return { verdict, code, reason: '', stages: [stage], plan: { stages: [] } };
}

/** What to do where commands of a caller run on this machine without being judged. */
function changeOf(inputs: PolicyInputs, caller: Caller, { effective, isJudged }: Route): string {
  const { settings, conversation, approvals } = inputs;
  const { places } = settings;
  const { security, from } = effective;
  if (!isJudged)
    return isForAll(from.host, places.host) ? CHOOSE : setTo('host', 'gateway', from.host, caller, settings);
  if (from.security === 'elevated') {
    if (conversation.elevated !== undefined) return sayExec('reset', caller.conversation);
    const asked = elevatedPolicy({ config: settings, conversation, call: {}, approvals }, 'ask');
    return configSet(places.elevated, asked.security === 'full' ? 'off' : 'ask');
  }
  // Commands run because no person answers: have a person asked again.
  if (security !== 'full' || effective.ask === 'always') return configSet(places.headless, 'false');
  return setTo('security', 'allowlist', from.security, caller, settings);
}

/** The user's settings decide about the host of all agents, so choosing a posture has an effect. */
function isForAll(from: string, { path, variable }: SettingPlace): boolean {
  return from !== 'conversation' && variable === undefined && path === 'tools.exec.host';
}

/** `judged` works on every machine. No comment follows: on zsh's interactive command line, `#` does not start one. */
const CHOOSE = 'pincer init --posture judged --yes';

function setTo(
  name: 'host' | 'security',
  value: string,
  from: string,
  { conversation }: Caller,
  { places }: Pick<ExecSettings, 'places'>,
): string {
  return from === 'conversation' ? sayExec(`${name}=${value}`, conversation) : configSet(places[name], value);
}

/** The daemon reads its environment when it starts. */
function configSet({ path, variable }: SettingPlace, value: string): string {
  if (variable !== undefined) return `set ${variable}=${value} where the daemon is started, and restart it`;
  return `pincer config set ${/^[\w.]+$/u.test(path) ? path : `'${path}'`} ${value}`;
}

function sayExec(words: string, conversation = ''): string {
  return `pincer say --conversation ${quoted(conversation)} '/exec ${words}'`;
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/u.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
