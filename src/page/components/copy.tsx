import { toast } from '../state/toasts.ts';
import { Button } from './button.tsx';
import { HostileText } from './hostile-text.tsx';

/** Copies the text itself, hidden characters included. */
export function CopyButton({ text, what }: { readonly text: string; readonly what: string }) {
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      toast(`Copied ${what}`);
    } catch {
      toast(`The browser does not let this page copy. Select ${what} and copy it.`);
    }
  };
  return <Button kind="quiet" icon="copy" label={`Copy ${what}`} onPress={() => void copy()} />;
}

/** A command line to copy. */
export function Snippet({ text }: { readonly text: string }) {
  return (
    <div class="snippet">
      <code dir="ltr">
        <HostileText text={text} />
      </code>
      <CopyButton text={text} what="the command" />
    </div>
  );
}
