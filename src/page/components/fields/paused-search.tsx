import { useEffect, useRef, useState } from 'preact/hooks';
import { SearchField } from '../fields.tsx';

const PAUSE_MS = 200;

interface PausedSearchProps {
  readonly label: string;
  readonly placeholder: string;
  /** The search in the address. */
  readonly query: string;
  readonly onSearch: (query: string) => void;
}

/** Searches when the person pauses, so that not every letter is a search of the server. */
export function PausedSearch({ label, placeholder, query, onSearch }: PausedSearchProps) {
  const [text, setText] = useState(query);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const sent = useRef(query);
  useEffect(() => {
    // The own search in the address may be older than the text: letters were typed since.
    if (query !== sent.current) setText(query);
    sent.current = query;
  }, [query]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const type = (typed: string): void => {
    setText(typed);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      sent.current = typed;
      onSearch(typed);
    }, PAUSE_MS);
  };
  return <SearchField label={label} placeholder={placeholder} value={text} onInput={type} />;
}
