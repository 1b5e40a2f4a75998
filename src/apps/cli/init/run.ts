/** `pincer init`: puts Pincer into the configuration of an agent, with the difference shown first. */
import { isatty } from 'node:tty';
import { resolve } from 'node:path';
import { Fault } from '../../../base/fault.ts';
import { homeFolder, stateFolder } from '../../../config/state.ts';
import { type Client, CLIENTS, clientNamed, type Scope, type Surroundings } from '../../init/clients.ts';
import { type InitChoices, prepareInit } from '../../init/init.ts';
import { helpOf, shapeOf } from '../definition.ts';
import { reportFailure } from '../failure.ts';
import { refuseInsideSession } from '../inside.ts';
import { inputLines } from '../input.ts';
import { BrokenPipe, jsonOutput, type Output } from '../output.ts';
import { asksForHelp, type CommandWords, readWords, usage, wantsJson, errorsAsJson } from '../words.ts';
import { definition } from './definition.ts';
import { type Answer, answerText, surveyText } from './show.ts';

/** Runs `pincer init …`. */
export async function runInit(argv: readonly string[], output: Output): Promise<number> {
  const json = wantsJson(argv, output.isTerminal);
  try {
    if (asksForHelp(argv)) {
      output.out(helpOf(definition));
      return 0;
    }
    const words = readWords(shapeOf(definition), argv);
    const at: Surroundings = { folder: resolve('.'), home: homeFolder(), env: process.env };
    const out = json ? jsonOutput(output) : output;
    const [name] = words.words;
    if (name === undefined) return await survey(words, at, json, out);
    return await init(choicesOf(name, words), words, at, json, out);
  } catch (error) {
    if (error instanceof BrokenPipe) throw error;
    return reportFailure(error, errorsAsJson(argv, output), output);
  }
}

async function survey(
  { flags, options }: CommandWords,
  at: Surroundings,
  json: boolean,
  output: Output,
): Promise<number> {
  const given = [...flags, ...Object.keys(options)].find((name) => name !== 'json' && name !== 'human');
  if (given !== undefined) throw usage(definitionShape, `--${given} needs the name of a client`, `write ${names()}`);
  const { surveyClients } = await import('../../init/survey.ts');
  const clients = await surveyClients(at);
  output.out(json ? `${JSON.stringify({ clients }, null, 2)}\n` : surveyText(clients));
  return 0;
}

async function init(
  choices: InitChoices,
  { flags }: CommandWords,
  at: Surroundings,
  json: boolean,
  output: Output,
): Promise<number> {
  let prepared = await prepareInit(choices, at, stateFolder());
  const changes = prepared.plans.filter(({ action }) => action !== 'none');
  const tell = (status: Answer['status']): void => {
    const answer: Answer = {
      client: choices.client.name,
      scope: choices.scope,
      status,
      files: prepared.plans
        .filter(({ before, action }) => before !== undefined || action !== 'none')
        .map(({ target, linked, action, diff }) => ({
          path: target.path,
          ...(linked === undefined ? {} : { linked }),
          part: target.part,
          action,
          diff,
        })),
      notes: prepared.notes,
    };
    output.out(json ? `${JSON.stringify(answer, null, 2)}\n` : answerText(answer, choices, output.colour));
  };
  if (changes.length === 0) {
    tell('unchanged');
    return 0;
  }
  if (flags.has('dry-run')) {
    tell('would-change');
    return 0;
  }
  refuseInsideSession('changing the configuration of an agent');
  if (!flags.has('yes')) {
    tell(canAsk(json, output) ? 'would-change' : 'needs-yes');
    if (!canAsk(json, output)) return 4;
    output.out('write it? [y/N] ');
    if (!saysYes()) {
      output.out('nothing was written\n');
      return 1;
    }
    await prepared.write();
    output.out('written\n');
    return 0;
  }
  for (let tries = 1; ; tries++) {
    refuseOutside(prepared.outside);
    try {
      await prepared.write();
      break;
    } catch (error) {
      // The client itself may write its file at any moment; with --yes what is wanted then is wanted still.
      if (tries === MOST_TRIES || !(error instanceof Fault && ['FS_CHANGED', 'FS_EXISTS'].includes(error.code)))
        throw error;
      prepared = await prepareInit(choices, at, stateFolder());
    }
  }
  tell('written');
  return 0;
}

const MOST_TRIES = 5;

/** Whoever says --yes has not read where a link of the project leads. */
function refuseOutside([path]: readonly string[]): void {
  if (path === undefined) return;
  throw new Fault('CONFIG_CLIENT_CONFLICT', `a link of the project leads to ${path}, outside of it`, {
    hint: 'nothing was written; without --yes, in a terminal, the question can be answered',
    details: { path },
  });
}

/** A question needs somebody who reads it and somebody who answers. */
function canAsk(json: boolean, output: Output): boolean {
  return !json && output.isTerminal && isatty(0);
}

function saysYes(): boolean {
  for (const { bytes } of inputLines(1 << 10)) return /^\s*y(?:es)?\s*$/iu.test(bytes?.toString() ?? '');
  return false;
}

const definitionShape = shapeOf(definition);

function choicesOf(name: string, { flags, options }: CommandWords): InitChoices {
  const client = clientNamed(name);
  if (client === undefined)
    throw usage(definitionShape, `there is no client ${JSON.stringify(name)}`, `write ${names()}`);
  const { http, workspace, preset } = options;
  if (http !== undefined && (workspace !== undefined || preset !== undefined))
    throw usage(
      definitionShape,
      '--workspace and --preset are for a server that the client starts',
      'give them to pincer serve',
    );
  if (flags.has('hook') && client.hooks === undefined)
    throw usage(definitionShape, `${client.title} has no hook that asks a policy`, 'leave --hook out');
  return {
    client,
    scope: scopeOf(client, flags),
    remove: flags.has('remove'),
    hook: flags.has('hook'),
    ...(http === undefined ? {} : { http: address(http) }),
    ...(workspace === undefined ? {} : { workspace: resolve(workspace) }),
    ...(preset === undefined ? {} : { preset: presetNamed(preset) }),
  };
}

function scopeOf({ title, scopes }: Client, flags: ReadonlySet<string>): Scope {
  if (flags.has('project') && flags.has('user')) throw usage(definitionShape, 'give --project or --user, not both');
  const asked = flags.has('project') ? 'project' : flags.has('user') ? 'user' : scopes[0];
  if (!scopes.includes(asked))
    throw usage(definitionShape, `${title} has no configuration of a project`, 'leave --project out');
  return asked;
}

function address(text: string): string {
  // The parser of addresses passes over ends of lines, and clients may not.
  if (/^[^\s\p{Cc}"'<>\\`]+$/u.test(text) && URL.canParse(text) && /^https?:$/u.test(new URL(text).protocol)) {
    const { username, password } = new URL(text);
    if (username === '' && password === '') return text;
    throw usage(definitionShape, '--http holds a password', 'leave it out: the token comes from PINCER_TOKEN');
  }
  throw usage(definitionShape, `--http is an address such as http://127.0.0.1:7462/mcp, not ${JSON.stringify(text)}`);
}

function presetNamed(name: string): string {
  const known = definition.flags.find((flag) => flag.name === '--preset')?.words ?? [];
  if (known.includes(name)) return name;
  throw usage(definitionShape, `there is no preset ${JSON.stringify(name)}`, `write ${known.join(', ')}`);
}

function names(): string {
  return CLIENTS.map(({ name }) => name).join(', ');
}
