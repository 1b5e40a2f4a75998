export const PATH_HELP = `pincer path: read, find and change one spot in Markdown, JSONC, JSONL and YAML

  pincer path resolve <oc-path> [--raw]           what stands at one address
  pincer path find <pattern>                      every match of a pattern
  pincer path find --files <glob…> 'oc://*/…'     the same over many files
  pincer path set <oc-path> <value>               write one leaf, or insert at +, +key, +N
  pincer path set --batch <file|->                many writes, all or nothing (JSON lines of path/value/valueJson/delete)
  pincer path delete <oc-path>                    take one place out
  pincer path validate <oc-path>                  check an address; no file is touched
  pincer path emit <file>                         the bytes of a file through its parser and back
  pincer path ls <file|oc-path> [--depth N]       what can be addressed here
  pincer path watch <oc-path>                     a JSON line for each change
  pincer path --stdin                             one JSON array of arguments a line, one JSON line {code, out} back

  --cwd <dir>      the folder that the file slot starts from and may not leave
  --file <path>    this file instead of the file slot
  --kind <kind>    md, jsonc, jsonl or yaml instead of what the extension says
  --json, --human  the form of the answer (human on a terminal, JSON in a pipe)
  --dry-run        set, delete: print what would be written
  --diff           with --dry-run: print a unified diff
  --value-json     set: the value is JSON of any shape
  --create         set: make missing parents

  oc://FILE/SECTION/ITEM/FIELD?session=SCOPE
    "a/b.c"  quoted name     $"…"  name as a JSON string     *  **  wildcards     {a,b}  union
    [k=v]  predicate, also != < <= > >=     $first $last #N  positions     + +key +N  insertion

  exit 0 yes, 1 no match or refused, 2 wrong arguments or a broken document, 3 the file cannot be read or written
`;
