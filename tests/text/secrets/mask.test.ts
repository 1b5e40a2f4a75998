import { describe, expect, it } from 'vitest';
import { maskSecrets } from '../../../src/text/secrets/mask.ts';
import { fc, runs } from '../../support/property.ts';
import { processorMs } from '../../support/patience.ts';

const KEPT = [
  'ls -la src',
  'git commit --author "A B <a@b.c>" -m "fix the key handling"',
  'cd $PWD && PWD=/tmp OLDPWD=/x make keep',
  'git clone git@github.com:org/token-repo.git',
  'git clone ssh://git@host/x',
  'mkdir -p a/b; cp -pr a b; ssh -p22 host',
  'curl -H "Authorization: Bearer $TOKEN" https://x.example',
  'psql --password "$PW" -c "select 1"',
  'docker pull repo/app:1.2@sha256:abc',
  'npm test -- --grep "a \'b\' c"',
  'cat key.pem other',
  'donkeys --keep --keyword x --keyring-dir y',
  'curl https://medium.com/@user/x',
];

const MASKED: readonly (readonly [string, string])[] = [
  ['mysql -u root --password=hunter2 db', 'mysql -u root --password=*** db'],
  ['mysql -u root -phunter2 db', 'mysql -u root -p*** db'],
  ['/usr/bin/mysqldump -p"a b" db > x', '/usr/bin/mysqldump -p*** db > x'],
  ['tool --token abc --verbose', 'tool --token *** --verbose'],
  ['tool --api-key=abc next', 'tool --api-key=*** next'],
  ["tool --apiKey 'a b' next", 'tool --apiKey *** next'],
  ['GITHUB_TOKEN=abc gh pr list', 'GITHUB_TOKEN=*** gh pr list'],
  ['export A=1 PGPASSWORD="x y"z; psql', 'export A=1 PGPASSWORD=***; psql'],
  ['MYSQL_PWD=x mysql', 'MYSQL_PWD=*** mysql'],
  ['curl -H "Authorization: Bearer abc.def" x', 'curl -H "Authorization:***" x'],
  ["curl -H 'X-Api-Key: abc' x", "curl -H 'X-Api-Key:***' x"],
  ['curl -H X-Api-Key:abc x', 'curl -H X-Api-Key:*** x'],
  ['curl --user me:hunter2 x', 'curl --user *** x'],
  ['curl --proxy-user=me:hunter2 x', 'curl --proxy-user=*** x'],
  ['docker run --user 1000:1000 x', 'docker run --user *** x'],
  ['curl -H Authorization:\\ Bearer\\ abc x', 'curl -H Authorization:*** x'],
  ['curl -u me:pw https://x', 'curl -u *** https://x'],
  ['curl -ume:pw https://x', 'curl -u*** https://x'],
  ['git clone https://me:pw@host/x.git', 'git clone https://me:***@host/x.git'],
  ['git clone https://abcdef@host/x.git', 'git clone https://***@host/x.git'],
  ['scp me:pw@host x', 'scp me:***@host x'],
  ['curl -d \'{"password":"a b","user":"u"}\' x', 'curl -d \'{"password":***\' x'],
  ['curl -d "{\\"password\\":\\"a b\\"}" x', 'curl -d "{\\"password\\":***" x'],
  ["bash -c 'TOKEN=a; curl x' y", "bash -c 'TOKEN=***' y"],
  ["bash -c 'mysql -pa b' y", "bash -c 'mysql -p***' y"],
  ['bash -c "x $(y "TOKEN=a b") z"', 'bash -c "x $(y "TOKEN=***"'],
  ["# don't\nTOKEN='a b'", "# don't\nTOKEN=***"],
  ['cat > .env <<EOF\nTOKEN=a b\nX=1\nEOF', 'cat > .env <<EOF\nTOKEN=***'],
  ['TOKEN=$(echo abc def) run', 'TOKEN=***'],
  ['TOKEN="a b', 'TOKEN=***'],
  ["PASSWORD='$abc' run", 'PASSWORD=*** run'],
  ['echo ghp_abcdefghijklmnopqrstuvwxyz012345', 'echo ***'],
  ['echo sk-proj-abcdefghijklmnop.x y', 'echo *** y'],
  ['aws --x AKIAIOSFODNN7EXAMPLE', 'aws --x ***'],
  ['aws configure set aws_secret_access_key abc', 'aws configure set aws_secret_access_key ***'],
  [
    'echo "-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----"',
    'echo "-----BEGIN RSA PRIVATE KEY***-----END RSA PRIVATE KEY***',
  ],
  ['openssl rsa -passin pass:abc -in k', 'openssl rsa -passin *** -in k'],
  ['curl "https://x/?access_token=abc&y=1"', 'curl "https://x/?access_token=***"'],
  ["echo $'it\\'s PASSWORD=a b' c", "echo $'it\\'s PASSWORD=***' c"],
];

describe('secrets in the text of a command', () => {
  it.each(KEPT)('keeps %s', (command) => {
    expect(maskSecrets(command)).toEqual({ text: command, masked: false });
  });

  it.each(MASKED)('masks %s', (command, text) => {
    expect(maskSecrets(command)).toEqual({ text, masked: true });
  });

  it('never leaves a secret, however it is quoted and whatever surrounds it', () => {
    const around = fc
      .array(
        fc.constantFrom(
          ' ',
          "'a b'",
          '"c d"',
          '\\',
          '$(',
          ')',
          '`',
          ';',
          '#',
          '<<E\n',
          '$\u007bx:-y}',
          'x',
          '\n',
          '$',
          '&&',
        ),
        { maxLength: 6 },
      )
      .map((parts) => parts.join(''));
    const value = fc.constantFrom('S3CRET', "'S3CRET'", '"S3CRET"', "'x S3CRET y'", '"x S3CRET y"', 'x\\ S3CRET');
    const named = fc.constantFrom('TOKEN=', '--password=', '--password ', 'Authorization:', 'mysql -p');
    fc.assert(
      fc.property(around, named, value, around, (before, name, secret, after) => {
        const blank = before === '' ? '' : ' ';
        expect(maskSecrets(`${before.replaceAll('\\', '')}${blank}${name}${secret}${after}`).text).not.toContain(
          'S3CRET',
        );
      }),
      { numRuns: runs(2000) },
    );
  });

  it.each([
    'a',
    '://',
    '"',
    "'",
    'TOKEN=',
    '-p',
    'mysql ',
    'a:',
    '$(',
    'sk-',
    'eyJ',
    '@',
    'PRIVATE KEY',
    'password ',
    '\\',
    ': ',
    '--user=',
    '--user: x ',
    "--user='a' ",
    '--user="x',
    '# --user=',
    'api-k ',
  ])('costs no more than its length for %s without end', (piece) => {
    const before = processorMs();
    maskSecrets(piece.repeat(Math.floor(65_000 / piece.length)));
    expect(processorMs() - before).toBeLessThan(1_000);
  });
});
