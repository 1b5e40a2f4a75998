/**
 * Containers and clusters. A container can mount any folder, so what starts one, or enters it, has no profile. Not listed: which
 * daemon or cluster answers (`-H`, `--context`, `--kubeconfig`).
 */
import { all, type Family, names, reads, subcommands } from './family.ts';

const TABLE = { flags: names('-a -q --all --quiet --no-trunc'), valued: all('text', '-f --filter --format') } as const;

export const CONTAINERS: Family = {
  title: 'containers and clusters',
  read: 'docker 27, kubectl 1.30',
  programs: {
    docker: {
      ...reads({}),
      flags: names('-v --version'),
      requires: names('-v --version'),
      subcommands: {
        ps: {
          ...TABLE,
          flags: [...TABLE.flags, ...names('-l -n -s --latest --size')].filter((name) => name !== '-n'),
          operands: [],
        },
        images: { ...TABLE, flags: [...TABLE.flags, '--digests'], operands: ['text'] },
        version: { valued: all('text', '-f --format'), operands: [] },
        'container ls': { ...TABLE, operands: [] },
        'image ls': { ...TABLE, operands: ['text'] },
        // They show variables and output of containers, which hold secrets.
        ...subcommands('logs', {
          class: 'system',
          flags: names('-t --timestamps --details'),
          valued: all('text', '-n --tail --since --until'),
          operands: ['text'],
        }),
        inspect: {
          class: 'system',
          flags: names('-s --size'),
          valued: all('text', '-f --format --type'),
          operands: ['text*'],
        },
      },
      pass: ['docker --version', 'docker ps -a', "docker ps --format '{{.Names}}'", 'docker images', 'docker version'],
      ask: [
        'docker',
        'docker run x',
        'docker exec x sh',
        'docker build .',
        'docker -H tcp://x ps',
        'docker --config x ps',
        'docker --context x ps',
        'docker logs x',
        'docker inspect x',
        'docker logs -f x',
        'docker ps --fil=x',
        'docker compose up',
        'docker images a b',
      ],
    },
    kubectl: {
      grammar: 'getopt',
      class: 'network',
      subcommands: {
        get: {
          flags: names('-A -L --all-namespaces --show-labels --no-headers').filter((name) => name !== '-L'),
          valued: {
            ...all('text', '-n -l --namespace --selector --sort-by'),
            ...all('enum wide name yaml json', '-o --output'),
          },
          operands: ['text*'],
        },
        describe: {
          flags: names('-A --all-namespaces'),
          valued: all('text', '-n -l --namespace --selector'),
          operands: ['text*'],
        },
        logs: {
          flags: names('-p --previous --timestamps --all-containers'),
          valued: { ...all('text', '-n -c -l --namespace --container --since'), ...all('num', '--tail') },
          operands: ['text*'],
        },
        version: {
          flags: ['--client'],
          classWith: { '--client': 'read' },
          valued: { '-o': 'enum yaml json', '--output': 'enum yaml json' },
          operands: [],
        },
        'config current-context': { class: 'read', operands: [] },
        'config get-contexts': { class: 'read', flags: ['--no-headers'], operands: ['text*'] },
      },
      pass: ['kubectl version --client', 'kubectl config current-context', 'kubectl config get-contexts'],
      ask: [
        'kubectl',
        'kubectl get pods',
        'kubectl delete pod x',
        'kubectl exec x -- sh',
        'kubectl --kubeconfig=x config current-context',
        'kubectl --kubeconfig=x version --client',
        'kubectl config view --raw',
        'kubectl config use-context x',
        'kubectl get pods -o=jsonpath-file=/etc/shadow',
        'kubectl apply -f x',
      ],
    },
  },
};
