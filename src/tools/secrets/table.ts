/**
 * The table of files with secrets. A pattern without a slash matches the name of a file, a pattern with slashes the last parts of
 * its path. `*`, `?` and `[…]` work as in a shell, and case is ignored.
 */
export interface SecretRow {
  readonly pattern: string;
  /** Matching names without secrets. */
  readonly except?: readonly string[];
}

/** Copies without values, for people to fill in. */
export const TEMPLATES: readonly string[] = [
  ...['example', 'sample', 'template', 'dist'].map((word) => `*[._-]${word}`),
  ...['example', 'sample', 'template'].map((word) => `${word}.env`),
];

const PUBLIC_KEYS = ['*.pub'];

const SSH_PUBLIC = [...PUBLIC_KEYS, 'config', 'known_hosts*', 'authorized_keys*'];

/** `read` hides every value in these files. */
export const SECRET_FILES: readonly SecretRow[] = [
  // Environments.
  ...rows('.env', '.env[!a-z]*', '.envrc', '.envrc[!a-z]*', '*.env', '.flaskenv', '.dev.vars', '.dev.vars[!a-z]*'),
  ...rows('.environment'),
  // Tokens and passwords of programs.
  ...rows('.npmrc', '.netrc', '_netrc', '.pypirc', '.pgpass', '.my.cnf', '.git-credentials', '.htpasswd'),
  ...rows('.s3cfg', '.boto', '.vault-token', '.terraformrc', 'credentials.tfrc.json', '.yarnrc.yml'),
  ...rows('.aws/credentials', '.aws/config', '.aws/sso/cache/*', '.aws/cli/cache/*', 'gcloud/*.db'),
  ...rows('.credentials.json', 'oauth_creds.json', '.codex/auth.json', 'opencode/auth.json'),
  ...rows('github-copilot/apps.json', 'github-copilot/hosts.json'),
  ...rows('.docker/config.json', '.kube/config', '.gem/credentials', 'gh/hosts.yml'),
  ...rows('.cargo/credentials', '.cargo/credentials.toml', '.composer/auth.json', '.azure/accesstokens.json'),
  ...rows('application_default_credentials.json', 'credentials.json', 'client_secret*.json', 'secrets.json'),
  ...rows('service-account*.json', 'service_account*.json', 'serviceaccount*.json', '.dockercfg', '.dockerconfigjson'),
  ...rows('secret.json', 'secret.yml', 'secret.yaml', 'secret.toml'),
  ...rows('secrets.yml', 'secrets.yaml', 'secrets.toml', '*.tfvars', '*.tfvars.json', '*.tfstate'),
  // Keys and stores of keys.
  ...rows('*.pem', '*.key', '*.p8', '*.p12', '*.pfx', '*.jks', '*.keystore', '*.ppk', '*.kdbx'),
  ...['id_rsa*', 'id_dsa*', 'id_ecdsa*', 'id_ed25519*'].map((pattern) => ({ pattern, except: PUBLIC_KEYS })),
  { pattern: 'id_*', except: ['id_*.*'] },
  { pattern: '.ssh/*', except: SSH_PUBLIC },
];

function rows(...patterns: readonly string[]): readonly SecretRow[] {
  return patterns.map((pattern) => ({ pattern }));
}

/**
 * Extensions that make a different file out of a name with secrets: code, documents, templates, public keys, encrypted files. A
 * name with any other extension is a copy.
 */
export const NO_COPIES: ReadonlySet<string> = new Set(
  [
    'example sample template dist tpl tmpl j2 pub asc sig enc gpg age sops crt cer',
    'c cc cpp cs css d go h html java js jsx kt lua mjs cjs mts cts md mdx php pl py rb rs rst scala scss sh snap sql svelte',
    'swift ts tsx vue lock map test spec png jpg jpeg gif svg webp ico',
  ].flatMap((line) => line.split(' ')),
);
