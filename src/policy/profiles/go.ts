/**
 * Go. Not listed: what starts a program (`-exec`, `-toolexec`, `-vettool`), reads replacements (`-overlay`, `-modfile`), or writes
 * (`-o`, `env -w`). `go list` of a program would start git in the repository (`-buildvcs`), and of a module of another version the
 * network and another toolchain, so these are switched off.
 */
import { all, type Family, names, subcommands } from './family.ts';

const FORCED = { env: { GOTOOLCHAIN: 'local', GOPROXY: 'off', GOFLAGS: '-mod=readonly -buildvcs=false' } };
/** Not `-ldflags` and `-gcflags`, which name programs and files. */
const BUILD_FLAGS = names('-v -race -cover -trimpath -n -a -x');
const BUILD_VALUED = all('text', '-tags -p');
const TEST = {
  class: 'project',
  flags: names('-v -race -cover -short -json -failfast -benchmem -n -a'),
  valued: {
    ...all('text', '-run -skip -bench -tags -timeout -shuffle -covermode'),
    ...all('num', '-count -parallel -p -cpu'),
  },
  operands: ['text*'],
} as const;

export const GO: Family = {
  title: 'Go',
  read: 'go 1.19 to 1.23, golangci-lint 1.60',
  programs: {
    go: {
      grammar: 'goflag',
      class: 'project',
      terminal: 'safe',
      subcommands: {
        version: { class: 'read', flags: names('-m -v'), operands: ['in*'], forced: FORCED },
        env: { class: 'read', flags: names('-json -changed'), operands: ['text*'], forced: FORCED },
        list: {
          class: 'read',
          flags: names('-m -deps -test -e -find -retracted'),
          valued: all('text', '-f -tags'),
          optional: { '-json': 'text' },
          operands: ['text*'],
          forced: FORCED,
        },
        doc: { class: 'read', flags: names('-all -c -cmd -short -src -u'), operands: ['text*'], forced: FORCED },
        help: { class: 'read', operands: ['text*'], forced: FORCED },
        'mod graph': { class: 'read', operands: [], forced: FORCED },
        'mod why': { class: 'read', flags: names('-m -vendor'), operands: ['text*'], forced: FORCED },
        'mod verify': { class: 'read', operands: [], forced: FORCED },
        test: TEST,
        ...subcommands('build vet install', { flags: BUILD_FLAGS, valued: BUILD_VALUED, operands: ['text*'] }),
        run: { flags: BUILD_FLAGS, valued: BUILD_VALUED, operands: ['text*'] },
        generate: { flags: names('-v -n -x'), operands: ['text*'] },
        fmt: { class: 'project', flags: names('-n -x'), operands: ['text*'] },
        ...subcommands('get', { class: 'network', flags: names('-u -t -v -d'), operands: ['text*'] }),
        'mod tidy': { class: 'network', flags: names('-v -e'), operands: [] },
        'mod download': { class: 'network', flags: ['-json'], operands: ['text*'] },
      },
      pass: [
        'go version',
        'go env GOPATH',
        'go list ./...',
        "go list -m -f '{{.Path}}' all",
        'go doc fmt.Println',
        'go mod graph',
      ],
      ask: [
        'go',
        'go test ./...',
        'go build',
        'go run .',
        'go env -w X=y',
        'go env -u X',
        'go list -toolexec=x ./...',
        'go list --toolexec x ./...',
        'go list -export ./...',
        'go list -compiled ./...',
        'go list -modfile=x ./...',
        'go list -overlay=x ./...',
        'go list -C / ./...',
        'go list ./... -export',
        'go list -mod=mod ./...',
        'go vet -vettool=x',
        'go test -exec=x',
        'go mod tidy',
        'go tool x',
        'go version /root/x',
      ],
    },
    gofmt: {
      grammar: 'goflag',
      class: 'read',
      terminal: 'safe',
      stdin: 'data',
      flags: names('-l -d -s -e -w'),
      classWith: { '-w': 'workspace' },
      operands: ['in*'],
      operandsWith: { '-w': ['wout*'] },
      pass: ['gofmt -l .', 'gofmt -d a.go', 'gofmt -s -l src'],
      ask: [
        "gofmt -r 'a->b' a.go",
        'gofmt -cpuprofile=x a.go',
        'gofmt -l /etc',
        'gofmt -w /etc/x.go',
        'gofmt a.go -w',
        'gofmt --rewrite x',
      ],
    },
    'golangci-lint': projectTool('golangci-lint'),
    staticcheck: projectTool('staticcheck'),
    gotestsum: projectTool('gotestsum'),
    goimports: projectTool('goimports'),
  },
};

/** It loads settings or code of the project. */
function projectTool(name: string): Family['programs'][string] {
  return {
    grammar: 'getopt',
    class: 'project',
    flags: names('-v --version --fast --verbose'),
    operands: ['text*'],
    pass: [],
    ask: [`${name} run`, `${name} --config=x`, `${name} -exec=x`],
  };
}
