const WORKSPACE = `  --workspace <dir>       where relative paths start, and what no path may leave (the working folder)
  --no-workspace-only     allow paths outside of the workspace
  --agent <id>            who changes the file, kept with every change (PINCER_AGENT, else main)
  --hard-links in-place   write files with several names in place instead of refusing them
  --json                  the result of the tool as JSON
`;

const EXIT = `
  exit 0 done, 1 refused or not found in the text, 2 wrong arguments, 3 the file cannot be read or written
`;

/** The help of each friendly form. */
export const HELP: Readonly<Record<string, string>> = {
  read: `pincer read: show a file of the workspace as an agent sees it

  pincer read <file>
  --lines <a-b>           these lines; also a- and a
  --offset <n>            from this line on; -20 for the last twenty
  --limit <n>             at most so many lines
  --cursor <c>            go on inside of an over-long line, as the last answer says
  --pages <a-b>           these pages of a PDF
  --encoding <name>       read it as this encoding instead of the detected one
  --numbers               with the number of each line
  --show-secrets          show the values of .env files
  --model-context <n>     the tokens that a model can hold: how much one read gives
${WORKSPACE}${EXIT}`,
  write: `pincer write: write a whole file, with its folders, atomically

  pincer write <file> <text>
  pincer write <file> < content
  --dry-run               show what would change, write nothing
  --protect none          allow writing inside of .git
${WORKSPACE}${EXIT}`,
  edit: `pincer edit: replace text in a file; every byte around it stays

  pincer edit <file> --old <text> --new <text>
  pincer edit <file> --old-file <a> --new-file <b>      the texts from files; - is standard input
  pincer edit <file> --edits '[{"oldText": …, "newText": …}]'   several, all or nothing
  --all                   replace every place instead of the only one
  --dry-run               show what would change, write nothing
  --protect none          allow writing inside of .git
${WORKSPACE}${EXIT}`,
  patch: `pincer patch: apply a patch (*** Begin Patch … *** End Patch) whole, or change nothing

  pincer patch <file>
  pincer patch < file
  --dry-run               show what would change, write nothing
  --overwrite             let Add and Move replace a file that is there
  --protect none          allow writing inside of .git
${WORKSPACE}${EXIT}`,
};
