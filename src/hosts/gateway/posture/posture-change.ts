/** The command that makes commands judged or sandboxed, for the layer that decided they are not. */
import type { Caller } from '../../../wire/exec.ts';
import type { ExecSettings, SettingPlace } from '../../../wire/settings.ts';
import type { PolicyInputs, Route } from '../../host.ts';
import { elevatedPolicy } from '../elevation.ts';

/** What to do where commands of a caller run on this machine without being judged. */
export function changeOf(inputs: PolicyInputs, caller: Caller, { effective, isJudged }: Route): string {
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
