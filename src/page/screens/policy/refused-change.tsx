import { Callout } from '../../components/callout.tsx';
import { HostileText } from '../../components/hostile-text.tsx';
import { wholeSentence } from '../../text/sentences.ts';

/** The approvals file is not as the person saw it, or cannot take the change. */
export function RefusedChange({ problem }: { readonly problem: string }) {
  return (
    <Callout tone="no" icon="warn" role="alert">
      <b>Not changed.</b> <HostileText text={wholeSentence(problem)} /> The list behind this dialog is current now.
    </Callout>
  );
}
