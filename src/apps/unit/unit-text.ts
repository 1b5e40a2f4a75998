/** The text of a systemd user unit (systemd.service(5), systemd.syntax(7)). */
import { Fault } from '../../base/fault.ts';

export interface Unit {
  /** The command that wrote it: `gateway` or `node`. */
  readonly command: UnitCommand;
  /** Absolute paths and arguments. */
  readonly argv: readonly string[];
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
}

export type UnitCommand = 'gateway' | 'node';

const DESCRIPTIONS: Readonly<Record<UnitCommand, string>> = {
  gateway: 'Pincer gateway: tools for agents over HTTP, and a port for nodes',
  node: 'Pincer node: runs commands of its gateway, judged by the rules of this machine',
};

export function unitName(command: UnitCommand): string {
  return `pincer-${command}.service`;
}

/** The first line of a file that pincer wrote, and may replace or remove. */
export function markOf(command: UnitCommand): string {
  return `# Written by pincer ${command} install.`;
}

/**
 * Commands of agents run in this unit, so it sets nothing that would change what they can do: NoNewPrivileges would break sudo,
 * ProtectSystem and PrivateTmp the files that they share with the user. Sandboxes restrict commands (docs/sandbox.md).
 */
export function unitText({ command, argv, folder, environment }: Unit): string {
  const variables = Object.entries(environment).map(([name, value]) => `Environment=${quoted(`${name}=${value}`)}`);
  return [
    `${markOf(command)} To change it: systemctl --user edit ${unitName(command)}`,
    '[Unit]',
    `Description=${DESCRIPTIONS[command]}`,
    'StartLimitIntervalSec=60',
    'StartLimitBurst=5',
    '',
    '[Service]',
    'Type=exec',
    `ExecStart=${commandLine(argv)}`,
    `WorkingDirectory=${folderText(folder)}`,
    ...variables,
    'Restart=on-failure',
    'RestartSec=5',
    '# Invalid arguments do not become valid.',
    'RestartPreventExitStatus=2',
    '# Pincer ends its sessions itself, within 20 seconds.',
    'KillMode=mixed',
    'TimeoutStopSec=30',
    '# A command that uses too much memory must not stop the others.',
    'OOMPolicy=continue',
    '',
    '[Install]',
    'WantedBy=default.target',
    '',
  ].join('\n');
}

/** systemd replaces variables in the arguments, not in the path of the program. */
function commandLine([program = '', ...args]: readonly string[]): string {
  return [quoted(program), ...args.map((each) => quoted(each).replaceAll('$', '$$$$'))].join(' ');
}

/** At the end of a line, a backslash continues it with the next one. */
function folderText(folder: string): string {
  if (!folder.endsWith('\\')) return specifiers(folder);
  throw new Fault('UNIT_INVALID', `a systemd unit cannot start in a folder that ends in a backslash: ${folder}`, {
    hint: 'choose another folder with --workspace',
  });
}

/** In double quotes, `\` and `"` need a backslash, and `%` begins a specifier anywhere. */
function quoted(text: string): string {
  return `"${specifiers(text).replaceAll(/["\\]/gu, String.raw`\$&`)}"`;
}

function specifiers(text: string): string {
  if (/[\p{Cc}\u2028\u2029]/u.test(text))
    throw new Fault('UNIT_INVALID', `a systemd unit cannot contain ${JSON.stringify(text)}`, {
      hint: 'use paths and names without control characters',
    });
  return text.replaceAll('%', '%%');
}

/** The command line of a unit that pincer wrote; undefined for any other text. */
export function programOf(text: string): { readonly node: string; readonly program: string } | undefined {
  const line = /^ExecStart=(.*)$/mu.exec(text)?.[1] ?? '';
  const [node, program] = [...line.matchAll(/"((?:[^"\\]|\\.)*)"/gu)].map(([, word = '']) =>
    word.replaceAll('%%', '%').replaceAll(/\\(.)/gu, '$1'),
  );
  if (node === undefined || program === undefined) return undefined;
  return { node, program: program.replaceAll('$$', '$') };
}
