export const POLICY_HELP = `pincer policy: what would happen to a command, and why

  pincer policy explain '<command>'       each stage, the program it means, the rule that decides, and what would pass
  pincer policy test                      check the approvals file and run the examples of all rules: match and notMatch
  pincer policy check --batch             JSON lines {"id", "command", "allowlist", "safeBins"} in, {"id", "verdict", "reason"} out

  explain:
  --allow <pattern>       judge with this allowlist instead of the one in force; can be given again
  --workdir <dir>         the folder that the command would run in (the working folder)
  --path <folders>        where programs are looked for
  --json, --human         the form of the answer (human on a terminal, JSON in a pipe)

  check --batch reads neither the configuration nor the approvals file; a line may also hold strictInlineEval, path and cwd

  explain exits 0 when the command would run, 4 when it would ask, 1 when it is denied; test exits 1 when the file
  is broken or an example fails; what has no effect is told as a warning
`;
