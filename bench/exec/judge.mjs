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
/** Compound commands that run as steps. They need neither git settings nor the names in a folder, whose cost has no limit. */
const STEPS = [
  'cd sub && git log --oneline -5 2>/dev/null | head -3',
  'grep -n TODO a.ts | head -20; ls -la sub; echo "done $?"',
  "mkdir -p out && cat <<'END' > out/a.txt\none\ntwo\nEND\ncat out/a.txt",
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
const PATH = '/usr/local/bin:/usr/bin:/bin';

/** A lookup serves one judgement: that of the next one looks for the programs again. */
const plain = () => createLookup({ path: PATH, cwd: '/tmp' });

/** @param {ReturnType<typeof plain>} lookup @returns {ReturnType<typeof plain>} */
const withoutGit = (lookup) => ({
  ...lookup,
  from: (/** @type {string} */ folder) => withoutGit(lookup.from(folder)),
  repositoryAt: () => undefined,
  gitUser: () => ({ settings: [] }),
  obeyedByGit: () => undefined,
});

/** @param {string} command @param {() => void} once */
function measure(command, once) {
  for (let i = 0; i < ROUNDS; i++) once();
  const times = Array.from({ length: ROUNDS }, () => {
    const start = performance.now();
    once();
    return performance.now() - start;
  }).sort((a, b) => a - b);
  return { command, median: times[ROUNDS / 2] ?? 0, p99: times[ROUNDS * 0.99] ?? 0 };
}

const asSteps = { ...rules, compound: 'steps', starter: 'workspace' };
const figures = [
  ...COMMANDS.map((command) => measure(command, () => judge(command, rules, plain(), '/tmp'))),
  ...STEPS.map((command) => ({
    ...measure(command, () => judge(command, asSteps, withoutGit(plain()), '/tmp')),
    isCompound: true,
  })),
];
console.log(JSON.stringify(figures));
