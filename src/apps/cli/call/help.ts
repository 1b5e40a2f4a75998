export const CALL_HELP = `pincer call: call a tool as an agent does

  pincer call <tool> '<json>'             one call; - reads the parameters from standard input;
                                          they may name the tool again: {"tool": "exec", "command": "ls -la"}
  pincer call '<json>'                    one call with its tool: {"tool": …, …} or {"tool_call": {"name", "arguments"}}
  pincer call --batch                     JSON lines {"id", "tool", "args"} in, one result line {"id", "content", …} out
  pincer tools [--json]                   the tools and their parameters

  --workspace <dir>       where relative paths start, and what no path may leave (the working folder)
  --no-workspace-only     allow paths outside of the workspace
  --agent <id>            who calls, kept with every change (PINCER_AGENT, else main)
  --conversation <id>     kept with every change; its /exec values hold for exec
  --model <name>          the model that calls: decides whether apply_patch is offered (tools.exec.applyPatch.allowModels)
  --model-context <n>     the tokens that the model can hold: how much one read gives
  --hard-links <how>      refuse files with several names, or write them in-place (refuse)
  --protect none          allow writing inside of .git
  --stale-check <how>     off, advise or refuse when a file is not as this agent last read it (off)
  --show-secrets          show the values of .env files
  --allow-undo            offer the tool changes, with undo and redo
  --json, --human         the form of the answer (human on a terminal, JSON in a pipe)

  tools.allow, tools.deny and tools.fs.workspaceOnly of pincer.jsonc hold here as they do for agents. exec and process
  go through the daemon of the state folder, which is started when it is needed (pincer daemon --help).

  exit 0 done, whatever code a command ended with, and also while an approval is pending: status tells;
  1 refused, denied or not found, 2 wrong arguments, 3 the file or the daemon cannot be used, 124 timeout;
  a batch ends with 0, and each of its results says how it went
`;
