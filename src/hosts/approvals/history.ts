/** What is kept of an approval request after its last run: no secrets, and nothing that only a run needs. */
import { maskSecrets } from '../../text/secrets/mask.ts';
import { isSecretName } from '../../text/secrets/secret-names.ts';
import { MASK } from '../../text/secrets/spans.ts';
import { type Shape, shapeText } from '../../wire/rules/shape.ts';
import type { ApprovalBinding } from '../../wire/approval.ts';
import type { AllowlistEntry, Judgement } from '../../wire/policy.ts';

export interface History {
  readonly binding: ApprovalBinding;
  readonly judgement: Judgement;
  readonly run: unknown;
  readonly masked: boolean;
}

/** The stored form. Where something is masked, the arguments of the programs are omitted, because they repeat it. */
export function historyOf(binding: ApprovalBinding, judgement: Judgement, run: unknown): History {
  const masked = maskedBinding(binding);
  const kept = runOf(run);
  if (masked === undefined) return { binding, judgement, run: kept, masked: false };
  const { verdict, code, reason, hint, hintFor, explicit, risk } = judgement;
  return {
    binding: masked,
    judgement: {
      verdict,
      code,
      reason: maskSecrets(reason).text,
      ...(hint === undefined ? {} : { hint: maskSecrets(hint).text }),
      ...(hintFor === undefined ? {} : { hintFor }),
      ...(explicit === undefined ? {} : { explicit }),
      ...(risk === undefined ? {} : { risk }),
      stages: [],
    },
    run: kept,
    masked: true,
  };
}

/** Undefined where nothing is secret. */
export function maskedBinding(binding: ApprovalBinding): ApprovalBinding | undefined {
  const command = maskSecrets(binding.command);
  const env = Object.fromEntries(
    Object.entries(binding.env).map(([name, value]) => [name, isSecret(name, value) ? MASK : value]),
  );
  if (!command.masked && !Object.values(env).includes(MASK)) return undefined;
  const programs = binding.programs.map(({ real, identity }) => ({ real, identity, argv: [] }));
  return { ...binding, command: command.text, env, programs };
}

/** An allowlist entry for the audit log. */
export function maskedEntry(entry: AllowlistEntry): AllowlistEntry {
  const { argv, shapes, ...rest } = entry;
  return {
    ...rest,
    ...(argv === undefined ? {} : { argv: maskSecrets(argv.join(' ')).masked ? [MASK] : argv }),
    ...(shapes === undefined ? {} : { shapes: shapes.map(maskedShape) }),
  };
}

function maskedShape(shape: Shape): Shape {
  return maskSecrets(shapeText(shape)).masked ? [{ kind: 'word', text: MASK }] : shape;
}

function isSecret(name: string, value: string): boolean {
  return isSecretName(name) || maskSecrets(value).masked;
}

/** These are read after the run; the environment of the caller is not. */
const REQUEST = ['yieldMs', 'background'];
const CONTEXT = ['caller', 'folder', 'synchronous'];

function runOf(run: unknown): unknown {
  if (typeof run !== 'object' || run === null) return null;
  const { request, context } = run as Readonly<Record<string, unknown>>;
  return { request: picked(request, REQUEST), context: picked(context, CONTEXT) };
}

function picked(value: unknown, names: readonly string[]): unknown {
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(Object.entries(value).filter(([name]) => names.includes(name)));
}
