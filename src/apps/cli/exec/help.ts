export const EXEC_HELP = `pincer exec: run a command as a session, and exit as it did

  pincer exec [flags] -- <program> [argument…]     words; what needs quotes gets them
  pincer exec [flags] -c '<command>'               a command's text, such as 'ls | wc -l'

  --workdir <dir>         where it runs (the working folder)
  --env <name>=<value>    a variable for it; may be given many times
  --timeout <seconds>     ends it after this time (1800; 0 for never)
  --pty                   in a terminal of its own; on a terminal, keys and size are passed on, and Ctrl-\\ leaves it
                          running in the background
  --no-pty                with pipes
  --background            prints the id of the session and goes; see pincer logs, attach, kill
  --yield <ms>            waits this long (10 to 120000); then the session goes on in the background
  --host <where>          sandbox, gateway (this machine), node
  --node <name>           which node
  --security <mode>       deny, allowlist, full: only tighter than what is set
  --ask <mode>            off, on-miss, always: only tighter than what is set
  --elevated              outside of the sandbox, where that is allowed
  --agent <id>            for this agent (PINCER_AGENT, else main)
  --conversation <id>     in this conversation
  --wait                  when a person has to approve it, waits for the answer
  --json                  what became of it as JSON, with the output in it, at the end

  Standard output and error come apart, byte for byte, as the command writes them. Standard input is passed on when it
  is a pipe or a file; from a terminal only with --pty, as in pincer exec --pty -- python3. Ctrl-C ends the command; pressed again, it only leaves.

  exit: the command's own code, 128 + n when signal n ended it, 124 timeout, 127 not started;
  4 an approval is pending, 1 denied, 2 wrong arguments, 3 the daemon cannot be reached
`;
