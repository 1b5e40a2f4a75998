/** No program is looked up on PATH: whoever controls a folder there would run code with our rights. */
import { parseAst } from 'rolldown/parseAst';
import { languageOf, type Node, visit } from './sources.ts';

/** The only sources that start programs, each with what it starts. */
export const FILES_THAT_START_PROGRAMS: Readonly<Record<string, string>> = {
  'apps/cli/approvals/notify.ts': 'a command of the operator, through /bin/sh',
  'apps/cli/doctor/checks/terminal.ts': 'this Node',
  'apps/cli/page/open-in-browser.ts': 'xdg-open or open, by the path of systemProgram',
  'apps/client/start.ts': 'this Node',
  'apps/hook/deadline.ts': 'this Node',
  'hosts/process/kill.ts': 'nothing: it ends a child that another source has started',
  'hosts/process/programs/login-shell.ts': 'the shell of the user, by its path in the list of users',
  'hosts/process/processes.ts': '/bin/ps',
  'hosts/process/runner-process.ts': 'this Node, and the runner itself',
  'runner/pipes.ts': 'mkfifo, by its path',
  'runner/stages.ts': 'commands, by the path that was judged, and /bin/sh',
  'hosts/process/programs/system-program.ts': 'helpers of the system, by their path in a folder of the administrator',
  'hosts/sandbox/bubblewrap/start.ts': 'bubblewrap and what starts it, by their paths',
  'hosts/sandbox/probe.ts': 'bubblewrap, by its path',
  'hosts/workers/worker-process.ts': 'this Node',
};

const MODULE = /^(?:node:)?child_process$/u;
const STARTERS = new Set(['spawn', 'spawnSync', 'execFile', 'execFileSync', 'fork']);
/** These start a shell, which looks programs up. */
const SHELLS = new Set(['exec', 'execSync']);

export interface Starts {
  /** Whether the source can start programs at all. */
  readonly imports: boolean;
  /** Programs that it names without their path, and functions that start a shell. */
  readonly bare: readonly string[];
}

/** What a source starts, from its code and not from its comments. */
export function startsIn(path: string, text: string): Starts {
  const bare: string[] = [];
  const shells: string[] = [];
  let imports = false;
  visit(parseAst(text, languageOf(path), path), (node) => {
    if (isModule(node)) imports = true;
    if (SHELLS.has(takenBy(node))) shells.push(takenBy(node));
    const program = bareIn(node);
    if (program !== undefined) bare.push(program);
  });
  return { imports, bare: imports ? [...bare, ...shells] : bare };
}

/** The name that an import, a pattern or a call takes; `/a/u.exec()` is none of them. */
function takenBy(node: Node): string {
  if (node['type'] === 'ImportSpecifier') return nameOf(node['imported']);
  if (node['type'] === 'Property') return nameOf(node['key']);
  return node['type'] === 'CallExpression' ? nameOf(node['callee']) : '';
}

function isModule({ type, value }: Node): boolean {
  return type === 'Literal' && typeof value === 'string' && MODULE.test(value);
}

function bareIn(node: Node): string | undefined {
  if (node['type'] !== 'CallExpression' || !isStarter(node['callee'] as Node)) return undefined;
  const program = textOf((node['arguments'] as readonly Node[])[0]);
  return program?.startsWith('/') === true ? undefined : program;
}

/** `spawn(…)`, `child.spawn(…)` and `promisify(execFile)(…)`. */
function isStarter(callee: Node): boolean {
  if (STARTERS.has(nameOf(callee['type'] === 'MemberExpression' ? callee['property'] : callee))) return true;
  return callee['type'] === 'CallExpression' && (callee['arguments'] as readonly Node[]).some(isStarter);
}

function textOf(node: Node | undefined): string | undefined {
  if (node?.['type'] === 'Literal' && typeof node['value'] === 'string') return node['value'];
  if (node?.['type'] !== 'TemplateLiteral') return undefined;
  const [first] = node['quasis'] as readonly { readonly value: { readonly raw: string } }[];
  return first?.value.raw === '' ? undefined : first?.value.raw;
}

function nameOf(node: unknown): string {
  return String((node as Node | undefined)?.['name']);
}
