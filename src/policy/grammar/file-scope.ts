/**
 * Which files a command may read and write where no entry covers it: those of the workspace, and to read also those that are public
 * on every machine. This holds against mistakes and prepared repositories, not against code that already runs here.
 */
import { isInside } from '../../base/inside.ts';
import type { Lookup, Rules } from '../../wire/policy.ts';
import { forAgent, forOperator, type Hint } from '../hint.ts';
import { baseName } from '../programs/names.ts';

/** Why a file needs approval. */
export interface FileProblem extends Hint {
  readonly code: string;
  readonly reason: string;
  /** The file boundary does not do it, so a person can only allow the whole text for a shell. */
  readonly isBeyondFiles?: true;
}

/** Rules may allow further folders. */
type FolderRules = Pick<Rules, 'allowlist'>;

const PUBLIC = new Set(
  (
    '/dev/null /etc/os-release /etc/lsb-release /etc/debian_version /etc/alpine-release /etc/issue /etc/hostname /etc/timezone /etc/localtime ' +
    '/etc/shells /proc/cpuinfo /proc/meminfo /proc/version /proc/uptime /proc/loadavg /proc/filesystems'
  ).split(' '),
);

const SECRET =
  /^(?:\.env(?!\.(?:example|sample|template|dist)$).*|.*\.(?:env|pem|key|p12|pfx|jks|keystore|ppk|kdbx?|tfstate|tfstate\.backup)|id_[^.]*|id_(?:rsa|dsa|ecdsa|ed25519).*|\.npmrc|\.netrc|_netrc|\.pypirc|\.pgpass|\.my\.cnf|\.s3cfg|\.boto|\.dockercfg|\.htpasswd|\.vault-token|\.terraformrc|\.git-credentials|\.?credentials(?:\.(?:json|toml|ya?ml|tfrc\.json))?|(?:application_default_credentials|client_secret.*|service[-_]?account.*)\.json|\..*_history|node_repl_history)$/iu;

/** Where the name of the file says less than that of its folder. */
const SECRET_PLACE =
  /(?:^|\/)(?:\.aws\/config|\.docker\/config\.json|\.kube\/config|gh\/hosts\.ya?ml|\.codex\/auth\.json|composer\/auth\.json|\.m2\/settings\.xml|\.gradle\/gradle\.properties|\.(?:gnupg|password-store)\/.*)$/iu;

/** Why a file is not read without approval. `path` is absolute. */
export function readProblem(path: string, lookup: Lookup, rules: FolderRules): FileProblem | undefined {
  if (PUBLIC.has(path)) return undefined;
  const place = lookup.placeOf(path);
  if (!isReadableFolder(place, lookup, rules)) return outside(place);
  return isSecret(path) || isSecret(place) ? secret(path) : undefined;
}

/** Whether a real path is where every file may be read, except for secrets. */
export function isReadableFolder(place: string, lookup: Lookup, rules: FolderRules): boolean {
  return (
    isInside(place, lookup.workspace()) ||
    isInside(place, '/usr') ||
    PUBLIC.has(place) ||
    isListedFolder(place, lookup, rules)
  );
}

/** Whether a rule lets commands read the folder. */
export function isListedFolder(place: string, lookup: Lookup, { allowlist }: FolderRules): boolean {
  return allowlist.some(({ access, pattern }) => access !== undefined && isInside(place, lookup.placeOf(pattern)));
}

/** Whether a file usually contains a secret. */
export function isSecret(path: string): boolean {
  return SECRET.test(baseName(path)) || SECRET_PLACE.test(path);
}

export function outside(path: string): FileProblem {
  return {
    code: 'read-outside',
    reason: `${path} is not in the workspace`,
    ...forOperator('a person can allow this command'),
  };
}

export function secret(path: string): FileProblem {
  return {
    code: 'read-secret',
    reason: `${path} usually contains a secret`,
    ...forOperator('a person can allow this command'),
  };
}

/** Why a file is not written without approval. `path` is absolute. */
export function writeProblem(path: string, lookup: Lookup, rules: Pick<Rules, 'starter'>): FileProblem | undefined {
  const place = lookup.placeOf(path);
  if (!isInside(place, lookup.workspace()))
    return {
      code: 'write-outside',
      reason: `${place} is not in the workspace`,
      ...forAgent('write a file in the workspace'),
      isBeyondFiles: true,
    };
  const reader = lookup.closedTo(place);
  if (reader !== undefined)
    return {
      code: reader === 'git' ? 'write-git' : 'write-obeyed',
      reason: reader === 'git' ? `${place} belongs to git` : `${reader} obeys ${place}`,
      ...forOperator('a person can allow this command'),
      isBeyondFiles: true,
    };
  if (rules.starter === 'workspace') return undefined;
  return {
    code: 'write',
    reason: `the command writes ${place}, and tools.exec.starter does not allow commands to write files`,
    ...forOperator('pincer config set tools.exec.starter workspace lets commands write in the workspace'),
  };
}
