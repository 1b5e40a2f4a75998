/** A name without any of these is not a secret; this excludes most names quickly. */
const HINT = /pass|pw|psk|otp|pat|cookie|bearer|auth|key|secret|token|credential/u;
/** Anywhere in a name. */
const ANYWHERE = ['passw', 'passphrase', 'secret', 'token', 'credential', 'apikey', 'accesskey', 'privatekey'];
/** Matches a part of a name; `apiKey`, `api-key` and `API_KEY` have the same parts. */
const PART = /^(?:pass|passin|passout|pwd|pw|psk|otp|pat|cookie|bearer|authorization|authentication|.*auth|.*keys?)$/u;
/** Variables of the current directory, in every shell. */
const FOLDERS: ReadonlySet<string> = new Set(['PWD', 'OLDPWD']);
/** Longer names are cut, to bound the work on hostile text. */
const LONGEST_NAME = 200;

/** Whether the value of an option, variable, header or field is a secret. In doubt it is. */
export function isSecretName(name: string): boolean {
  if (FOLDERS.has(name)) return false;
  const short = name.slice(-LONGEST_NAME);
  const lower = short.toLowerCase();
  const joined = lower.replaceAll(/[-_.]/gu, '');
  if (!HINT.test(joined)) return false;
  if (ANYWHERE.some((part) => joined.includes(part))) return true;
  const parts = short.replaceAll(/([a-z0-9])([A-Z])/gu, '$1 $2').split(/[-_. ]+/u);
  return parts.some((part) => PART.test(part.toLowerCase()));
}

/** Whether the next word is the value, without `=`: `password x`, `aws_secret_access_key x`, `--token x`. */
export function takesNextWord(name: string): boolean {
  if (/^(?:password|passphrase)$/iu.test(name) || name.startsWith('-')) return true;
  return name.includes('_') || /\.(?:password|token|secret)$/iu.test(name);
}

/** Whether the value of an option is a user name with a password: `curl --user me:password`. */
export function isLoginOption(name: string): boolean {
  return /^--(?:proxy-)?(?:user|username|login|creds|basic-auth)$/u.test(name);
}
