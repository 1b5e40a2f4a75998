/**
 * Programs that connect to other machines. All have the class `network`, so they pass by a rule only. Not listed: what sends or reads
 * a file (`curl -d @file`, `-H @file`, `-T`, `-K`), writes one (`curl -O`, `gh run download`), sends credentials of the user to any
 * address (`curl -u`, `-n`), or opens a browser (`gh --web`).
 */
import { all, type Family, names } from './family.ts';

const SHOW = { valued: { ...all('text', '-R --repo --json --template'), ...all('jq', '-q --jq') } } as const;
const LIST = {
  ...SHOW,
  valued: {
    ...SHOW.valued,
    ...all('text', '-s -l -A -a -S --state --label --author --assignee --search'),
    ...all('num', '-L --limit'),
  },
  operands: [],
} as const;

export const NETWORK: Family = {
  title: 'network',
  read: 'curl 7.88 and 8.9, gh 2.55, bind9-dnsutils 9.18',
  programs: {
    curl: {
      grammar: 'getopt',
      class: 'network',
      flags: names(
        '-s -S -f -I -i -g -v --silent --show-error --fail --head --include --globoff --verbose --compressed --http1.1 --http2 --ipv4 --ipv6 -4 -6',
      ),
      valued: {
        ...all('num', '-m --max-time --connect-timeout --retry'),
        ...all('enum GET HEAD OPTIONS', '-X --request'),
        ...all('enum /dev/null -', '-o --output'),
        ...all('enum =https', '--proto'),
      },
      operands: ['url*'],
      pass: [],
      ask: [
        'curl https://example.org',
        'curl file:///etc/passwd',
        'curl -o out.txt https://example.org',
        'curl -O https://example.org/x',
        'curl -d @a.txt https://example.org',
        'curl -H @a.txt https://example.org',
        'curl -K a.txt',
        'curl -T a.txt https://example.org',
        'curl -w %output{x} https://example.org',
        'curl --next -d @a.txt https://example.org',
        'curl gopher://example.org',
      ],
    },
    gh: {
      grammar: 'getopt',
      class: 'network',
      flags: ['--version'],
      requires: ['--version'],
      classWith: { '--version': 'read' },
      subcommands: {
        'pr view': { ...SHOW, flags: names('-c --comments'), operands: ['text'] },
        'pr list': { ...LIST, flags: names('-d --draft') },
        'pr diff': {
          ...SHOW,
          valued: { ...all('text', '-R --repo'), '--color': 'enum always never auto' },
          flags: names('--name-only --patch'),
          operands: ['text'],
        },
        'pr checks': { ...SHOW, flags: ['--required'], operands: ['text'] },
        'pr status': { ...SHOW, operands: [] },
        'issue view': { ...SHOW, flags: names('-c --comments'), operands: ['text'] },
        'issue list': LIST,
        'issue status': { ...SHOW, operands: [] },
        'run list': {
          ...LIST,
          valued: { ...LIST.valued, ...all('text', '-w -b -e -u --workflow --branch --event --user') },
        },
        'run view': {
          ...SHOW,
          flags: names('-v --verbose --log --log-failed --exit-status'),
          valued: { ...SHOW.valued, ...all('text', '-j --job') },
          operands: ['text'],
        },
        'repo view': { ...SHOW, operands: ['text'] },
        'release list': LIST,
        'release view': { ...SHOW, operands: ['text'] },
      },
      pass: ['gh --version', 'gh --version --'],
      ask: [
        'gh',
        'gh pr view 1',
        'gh pr view --web 1',
        'gh pr create',
        'gh pr merge 1',
        'gh api user',
        'gh auth token',
        'gh alias set x y',
        'gh extension exec x',
        'gh pr view --jq env 1',
        'gh repo clone x',
        'gh x',
      ],
    },
    ...Object.fromEntries(
      names('host nslookup dig').map((name) => [
        name,
        {
          grammar: 'posix',
          class: 'network',
          operands: ['ref', 'ref'],
          pass: [],
          ask: [`${name} example.org`, `${name} -f list.txt`, `${name} -k key example.org`],
        } as const,
      ]),
    ),
    ping: {
      grammar: 'getopt',
      class: 'network',
      valued: all('num', '-c -W -w'),
      requires: ['-c'],
      operands: ['ref'],
      pass: [],
      ask: ['ping example.org', 'ping -c 1 example.org', 'ping -f example.org'],
    },
  },
};
