/** Evaluates the redirections of a command from left to right, on its table of three descriptors. */
import type { PlacedRedirect } from '../../policy/steps/redirections.ts';

/** Where the input of a command comes from. */
export type Source =
  | { readonly from: 'previous' | 'stream' | 'null' }
  | { readonly from: 'text'; readonly text: string }
  | { readonly from: 'file'; readonly path: string };

/** Where output goes. */
export type Target = { readonly to: 'next' | 'out' | 'err' | 'null' } | { readonly to: 'file'; readonly path: string };

export interface Descriptors {
  readonly input: Source;
  readonly output: Target;
  readonly errors: Target;
  /** Every file that is opened for writing, also one that a later redirection replaces. */
  readonly written: readonly { readonly path: string; readonly append: boolean }[];
  /** A redirection that failed: the command does not run, and the message goes where errors went by then. */
  readonly failed?: { readonly message: string; readonly errors: Target };
}

export interface DescriptorOptions {
  readonly first: boolean;
  readonly last: boolean;
  /** Both streams of the session are one. */
  readonly merged: boolean;
  /** The session has an input. */
  readonly hasInput: boolean;
  /** The real path of a file, or why it cannot be opened. */
  readonly place: (path: string, use: 'read' | 'write') => { readonly path: string } | { readonly problem: string };
}

const NO_FILE = '/dev/null';

export function descriptorsOf(redirects: readonly PlacedRedirect[], options: DescriptorOptions): Descriptors {
  const { first, last, merged, hasInput, place } = options;
  let input: Source = { from: !first ? 'previous' : hasInput ? 'stream' : 'null' };
  const outputs: [Target, Target] = [{ to: last ? 'out' : 'next' }, { to: merged ? 'out' : 'err' }];
  const written: { path: string; append: boolean }[] = [];
  for (const redirect of redirects) {
    if (redirect.kind === 'text') input = { from: 'text', text: redirect.text };
    else if (redirect.kind === 'copy') outputs[redirect.from - 1] = outputs[redirect.to - 1] ?? { to: 'null' };
    else {
      const isRead = redirect.kind === 'input';
      if (redirect.path === NO_FILE) {
        if (isRead) input = { from: 'null' };
        else outputs[redirect.from - 1] = { to: 'null' };
        continue;
      }
      const placed = place(redirect.path, isRead ? 'read' : 'write');
      if ('problem' in placed) {
        const [output, errors] = outputs;
        return { input, output, errors, written, failed: { message: placed.problem, errors } };
      }
      const { path } = placed;
      if (isRead) input = { from: 'file', path };
      else {
        outputs[redirect.from - 1] = { to: 'file', path };
        written.push({ path, append: redirect.append });
      }
    }
  }
  return { input, output: outputs[0], errors: outputs[1], written };
}
