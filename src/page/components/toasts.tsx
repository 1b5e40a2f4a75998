import { toasts } from '../state/toasts.ts';
import { HostileText } from './hostile-text.tsx';

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, text }) => (
        <div key={id} class="toast">
          <HostileText text={text} />
        </div>
      ))}
    </div>
  );
}
