/** Which names of options, variables, headers and fields say that their value is a secret. */

/** A name without any of these says nothing; most names are left after one look. */
const HINT = /pass|pw|psk|otp|pat|cookie|bearer|auth|key|secret|token|credential/u;
/** Wherever they stand in a name. */
const ANYWHERE = ['passw', 'passphrase', 'secret', 'token', 'credential', 'apikey', 'accesskey', 'privatekey'];
/** How a part of a name ends; the parts of `apiKey`, `api-key` and `API_KEY` are the same. */
const PART = /^(?:pass|passin|passout|pwd|pw|psk|otp|pat|cookie|bearer|authorization|authentication|.*auth|.*keys?)$/u;
/** The working folder, in every shell. */
const FOLDERS: ReadonlySet<string> = new Set(['PWD', 'OLDPWD']);
/** A longer name is no name; cutting it bounds the work on hostile text. */
const LONGEST_NAME = 200;

/** Whether a value under this name is a secret. A name that only might say so counts: what is masked can be asked for again. */
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

/** Whether the word behind this one is its value although neither `=` nor a dash says so: `password x`, `aws_secret_access_key x`. */
export function takesNextWord(name: string): boolean {
  if (/^(?:password|passphrase)$/iu.test(name) || name.startsWith('-')) return true;
  return name.includes('_') || /\.(?:password|token|secret)$/iu.test(name);
}

/** Whether an option takes a name and a password in one value: `curl --user me:password`. */
export function isLoginOption(name: string): boolean {
  return /^--(?:proxy-)?(?:user|username|login|creds|basic-auth)$/u.test(name);
}
