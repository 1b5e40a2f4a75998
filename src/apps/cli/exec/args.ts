/** Parses the arguments of `pincer exec`. Flags precede the command; everything after the program name belongs to it. */
import { ASKS, HOST_NAMES, SECURITIES } from '../../../wire/policy.ts';
import type { ExecRequest } from '../../../wire/exec.ts';
import { shapeOf } from '../definition.ts';
import { unknownOption, usage } from '../arguments.ts';
import { definition } from './definition.ts';
import { quoteCommand } from './quote-command.ts';

export interface ExecArguments {
  readonly request: ExecRequest;
  readonly agent?: string;
  readonly conversation?: string;
  readonly json: boolean;
  /** Unfiltered also on a terminal. */
  readonly raw: boolean;
  readonly quiet: boolean;
  /** Wait for the approval. */
  readonly wait: boolean;
  /** The whole command, if it was one argument with spaces in it. */
  readonly singleArgument?: string;
  /** Fail rather than run outside a sandbox. */
  readonly sandboxOnly?: true;
}

const SHAPE = shapeOf(definition);

export function readExecArguments(argv: readonly string[]): ExecArguments | 'help' {
  const flags = new Set<string>();
  const options: Record<string, string> = {};
  const env: Record<string, string> = {};
  let text: string | undefined;
  let at = 0;
  for (; at < argv.length; at++) {
    const arg = argv[at]!;
    if (arg === '--') {
      at++;
      break;
    }
    if (!arg.startsWith('-') || arg === '-') break;
    if (arg === '--help' || arg === '-h') return 'help';
    const equals = arg.startsWith('--') ? arg.indexOf('=') : -1;
    const typed = equals < 0 ? arg : arg.slice(0, equals);
    const name = SHAPE.short?.[typed] ?? typed;
    if (SHAPE.flags.includes(name) && equals < 0) {
      flags.add(name);
      continue;
    }
    const isText = name === '--command';
    if (!isText && name !== '--env' && !SHAPE.options.includes(name)) throw usage(SHAPE, unknownOption(SHAPE, arg));
    const value = equals < 0 ? argv[++at] : arg.slice(equals + 1);
    if (value === undefined || (value === '' && name !== '--env')) throw usage(SHAPE, `${typed} needs a value`);
    if (isText) text = once(typed, text, value);
    else if (name === '--env') addVariable(env, value);
    else options[name] = once(name, options[name], value);
  }
  const command = argv.slice(at);
  const args = assemble(commandOf(text, command), flags, options, env);
  const [first = '', ...others] = command;
  return others.length === 0 && /\s/u.test(first) ? { ...args, singleArgument: first } : args;
}

function commandOf(text: string | undefined, argv: readonly string[]): string {
  if (text !== undefined && argv.length > 0) throw usage(SHAPE, 'a command is given twice: with -c and as arguments');
  if (text === undefined && argv.length === 0)
    throw usage(SHAPE, 'the command is missing', "pincer exec -- ls -l, or pincer exec -c 'ls | wc -l'");
  return text ?? quoteCommand(argv);
}

function assemble(
  command: string,
  flags: ReadonlySet<string>,
  options: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>>,
): ExecArguments {
  if (flags.has('--pty') && flags.has('--no-pty')) throw usage(SHAPE, '--pty and --no-pty exclude each other');
  if (flags.has('--background') && options['--yield'] !== undefined)
    throw usage(SHAPE, '--background and --yield exclude each other');
  const { '--agent': agent, '--conversation': conversation, '--workdir': workdir, '--node': node } = options;
  const request: ExecRequest = {
    command,
    ...(workdir === undefined ? {} : { workdir }),
    ...(Object.keys(env).length === 0 ? {} : { env }),
    ...(options['--timeout'] === undefined ? {} : { timeout: amount('--timeout', options['--timeout']) }),
    ...(options['--yield'] === undefined ? {} : { yieldMs: amount('--yield', options['--yield']) }),
    ...(flags.has('--background') ? { background: true } : {}),
    ...(flags.has('--pty') ? { pty: true } : {}),
    ...(flags.has('--no-pty') ? { pty: false } : {}),
    ...(flags.has('--elevated') ? { elevated: true } : {}),
    ...oneOf('host', options, HOST_NAMES),
    ...oneOf('security', options, SECURITIES),
    ...oneOf('ask', options, ASKS),
    ...(node === undefined ? {} : { node }),
  };
  return {
    request,
    ...(agent === undefined ? {} : { agent }),
    ...(conversation === undefined ? {} : { conversation }),
    json: flags.has('--json'),
    raw: flags.has('--raw'),
    quiet: flags.has('--quiet'),
    wait: flags.has('--wait'),
  };
}

function once(name: string, before: string | undefined, value: string): string {
  if (before !== undefined) throw usage(SHAPE, `${name} is given twice`);
  return value;
}

function addVariable(env: Record<string, string>, text: string): void {
  const equals = text.indexOf('=');
  if (equals < 1) throw usage(SHAPE, `--env must be NAME=VALUE, not ${JSON.stringify(text)}`);
  Object.defineProperty(env, text.slice(0, equals), {
    value: text.slice(equals + 1),
    enumerable: true,
    configurable: true,
    writable: true,
  });
}

function amount(name: string, text: string): number {
  const value = Number(text);
  if (!/^\d+(?:\.\d+)?$/u.test(text) || !Number.isFinite(value))
    throw usage(SHAPE, `${name} must be a number of at least 0, not ${JSON.stringify(text)}`);
  return value;
}

function oneOf<K extends string, T extends string>(
  name: K,
  options: Readonly<Record<string, string>>,
  allowed: readonly T[],
): { readonly [P in K]?: T } {
  const value = options[`--${name}`];
  if (value === undefined) return {};
  const found = allowed.find((one) => one === value);
  if (found === undefined) throw usage(SHAPE, `--${name} must be ${allowed.join(', ')}, not ${JSON.stringify(value)}`);
  return { [name]: found } as { readonly [P in K]?: T };
}
