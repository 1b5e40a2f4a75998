import type { Verdict } from '../../wire/policy.ts';
import { Chip } from './chip.tsx';

const VERDICTS = {
  allow: { tone: 'ok', icon: 'ok', text: 'Allowed' },
  ask: { tone: 'ask', icon: 'ask', text: 'Asks' },
  deny: { tone: 'no', icon: 'no', text: 'Denied' },
} as const;

export function VerdictChip({ verdict, boxed = false }: { readonly verdict: Verdict; readonly boxed?: boolean }) {
  const { tone, icon, text } = VERDICTS[verdict];
  return (
    <Chip tone={tone} icon={icon} boxed={boxed}>
      {text}
    </Chip>
  );
}
