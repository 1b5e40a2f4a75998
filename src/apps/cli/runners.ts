/** The function that runs each command. A command is loaded when it is called. */
import type { Output } from '../terminal/output.ts';
import { runPath } from './path/run.ts';

type Runner = (argv: readonly string[], output: Output) => Promise<number>;

const fileCommand =
  (name: string): Runner =>
  async (argv, output) =>
    (await import('./files/run.ts')).runFileCommand(name, argv, output);

export const RUNNERS: Readonly<Record<string, Runner>> = {
  path: runPath,
  read: fileCommand('read'),
  write: fileCommand('write'),
  edit: fileCommand('edit'),
  patch: fileCommand('patch'),
  changes: async (argv, output) => (await import('./changes/run.ts')).runChanges(argv, output),
  undo: async (argv, output) => (await import('./changes/run.ts')).runUndo(argv, output),
  redo: async (argv, output) => (await import('./changes/run.ts')).runRedo(argv, output),
  exec: async (argv, output) => (await import('./exec/run.ts')).runExec(argv, output),
  ps: async (argv, output) => (await import('./ps/run.ts')).runPs(argv, output),
  logs: async (argv, output) => (await import('./logs/run.ts')).runLogs(argv, output),
  attach: async (argv, output) => (await import('./attach/run.ts')).runAttach(argv, output),
  kill: async (argv, output) => (await import('./kill/run.ts')).runKill(argv, output),
  sandbox: async (argv, output) => (await import('./sandbox/run.ts')).runSandbox(argv, output),
  policy: async (argv, output) =>
    (await import('./policy/run.ts')).runPolicy(argv, output, async (...asked) =>
      (await import('./policy/rules.ts')).rulesInForce(...asked),
    ),
  allow: async (argv, output) => (await import('./allow/run.ts')).runAllow(argv, output),
  approvals: async (argv, output) => (await import('./approvals/run.ts')).runApprovals(argv, output),
  say: async (argv, output) => (await import('./say/run.ts')).runSay(argv, output),
  events: async (argv, output) => (await import('./events/run.ts')).runEvents(argv, output),
  audit: async (argv, output) => (await import('./audit/run.ts')).runAudit(argv, output),
  tools: async (argv, output) => (await import('./call/run-tools.ts')).runTools(argv, output),
  call: async (argv, output) => (await import('./call/run.ts')).runCall(argv, output),
  mcp: async (argv, output) => (await import('./mcp/run.ts')).runMcp(argv, output),
  hook: async (argv, output) => (await import('./hook/run.ts')).runHook(argv, output),
  init: async (argv, output) => (await import('./init/run.ts')).runInit(argv, output),
  serve: async (argv, output) => (await import('./serve/run.ts')).runServe(argv, output),
  gateway: async (argv, output) => (await import('./serve/run.ts')).runGateway(argv, output),
  page: async (argv, output) => (await import('./page/run.ts')).runPage(argv, output),
  nodes: async (argv, output) => (await import('./nodes/run.ts')).runNodes(argv, output),
  daemon: async (argv, output) => (await import('./daemon/run.ts')).runDaemonCommand(argv, output),
  node: async (argv, output) => (await import('./node/run.ts')).runNodeCommand(argv, output),
  config: async (argv, output) => (await import('./config/run.ts')).runConfig(argv, output),
  plugins: async (argv, output) => (await import('./plugins/run.ts')).runPlugins(argv, output),
  status: async (argv, output) => (await import('./status/run.ts')).runStatus(argv, output),
  doctor: async (argv, output) => (await import('./doctor/run.ts')).runDoctor(argv, output),
  completion: async (argv, output) => (await import('./completion/run.ts')).runCompletion(argv, output),
};
