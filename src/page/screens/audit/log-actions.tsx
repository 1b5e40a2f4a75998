import { useState } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { FaultNote } from '../../components/callout.tsx';
import { CallError } from '../../socket/calls.ts';
import { call } from '../../state/server.ts';
import { exportMatches } from './export.ts';

interface Outcome {
  readonly text?: string;
  readonly error?: unknown;
}

/** Export and check of the log. Their outcome stays next to the buttons. */
export function LogActions({ q }: { readonly q: string }) {
  const [{ text = '', error }, setOutcome] = useState<Outcome>({});
  const attempt = (start: string, failed: string, work: () => Promise<string>): void => {
    setOutcome({ text: start });
    work().then(
      (done) => setOutcome({ text: done }),
      (problem: unknown) => setOutcome({ error: named(failed, problem) }),
    );
  };
  return (
    <>
      <Button icon="down" onPress={() => attempt('Exporting…', 'the export failed', () => download(q))}>
        JSONL
      </Button>
      <Button onPress={() => attempt('Checking the chain…', 'the chain was not checked', verify)}>
        Check the chain
      </Button>
      <p class="note" role="status">
        {text}
      </p>
      {error === undefined ? undefined : <FaultNote error={error} />}
    </>
  );
}

/** Which of the actions failed, and why. */
function named(failed: string, problem: unknown): unknown {
  if (!(problem instanceof CallError)) return problem;
  const { code, message, hint } = problem;
  return new CallError({ code, message: `${failed}: ${message}`, ...(hint === undefined ? {} : { hint }) });
}

async function download(q: string): Promise<string> {
  const entries = await exportMatches(q);
  return `Exported ${entries.toLocaleString('en')} ${entries === 1 ? 'entry' : 'entries'}.`;
}

async function verify(): Promise<string> {
  const check = await call('audit.verify', {});
  if (check.ok) return `The chain is intact up to entry ${check.last.toLocaleString('en')}.`;
  throw new Error(`the chain is broken: entry ${check.broken.toLocaleString('en')} is missing or was changed`);
}
