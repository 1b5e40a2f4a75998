// @ts-check
/** usage: node judge.mjs MODULE: how long the judgement of each typical command takes, programs looked for in real folders, as JSON. */
const { createLookup, judge } = await import(process.argv[2] ?? '');

const COMMANDS = [
  'ls -la',
  "git log --format='%h %s' -n 5 | head -3",
  'cat README.md | sort | uniq -c | head -20',
  'grep -rn "TODO(" src',
  "find . -name '*.ts' -type f",
  'npm run build && npm test',
  'echo $HOME > out.txt',
];
const allowlist = ['ls', 'git', 'cat', 'grep', 'find', 'sort'].map((name) => ({ pattern: `/usr/bin/${name}` }));
const rules = {
  allowlist,
  deny: [{ pattern: '/usr/bin/rm' }],
  safeBins: ['head', 'uniq'],
  safeBinProfiles: {},
  safeBinTrustedDirs: [],
  strictInlineEval: true,
};

const ROUNDS = 1_000;
const figures = COMMANDS.map((command) => {
  /** A lookup serves one judgement: that of the next one looks for the programs again. */
  const once = () => judge(command, rules, createLookup({ path: '/usr/local/bin:/usr/bin:/bin', cwd: '/' }), '/');
  for (let i = 0; i < ROUNDS; i++) once();
  const times = Array.from({ length: ROUNDS }, () => {
    const start = performance.now();
    once();
    return performance.now() - start;
  }).sort((a, b) => a - b);
  return { command, median: times[ROUNDS / 2] ?? 0, p99: times[ROUNDS * 0.99] ?? 0 };
});
console.log(JSON.stringify(figures));
