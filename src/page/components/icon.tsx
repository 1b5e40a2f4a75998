/** Icons of 20 by 20, drawn with the colour of the text. */
const PATHS = {
  approvals: 'M3 11.5 4.6 4h10.8L17 11.5V16H3zM3 11.5h4l1 2h4l1-2h4',
  sessions: 'M4.5 3.5h11a2 2 0 0 1 2 2v9a2 2 0 0 1-2 2h-11a2 2 0 0 1-2-2v-9a2 2 0 0 1 2-2M6 8l2.5 2L6 12M10.5 12.5H14',
  review: 'M10 2.5 17 6v8l-7 3.5L3 14V6zM3 6l7 3.5L17 6M10 9.5v8',
  nodes:
    'M4.5 3.5h11A1.5 1.5 0 0 1 17 5v2a1.5 1.5 0 0 1-1.5 1.5h-11A1.5 1.5 0 0 1 3 7V5a1.5 1.5 0 0 1 1.5-1.5M4.5 11.5h11A1.5 1.5 0 0 1 17 13v2a1.5 1.5 0 0 1-1.5 1.5h-11A1.5 1.5 0 0 1 3 15v-2a1.5 1.5 0 0 1 1.5-1.5M6 6h.01M6 14h.01',
  files: 'M5 2.5h6.5L15.5 6v11.5H5zM11.5 2.5V6h4M7.5 10h5.5M7.5 13h5.5',
  policy: 'M10 2.5 16.5 5v5c0 4-3 6.5-6.5 7.5-3.5-1-6.5-3.5-6.5-7.5V5zM7.2 10l2 2 3.6-4',
  audit: 'M3 5h14M3 10h14M3 15h8',
  try: 'M3 4.5h14v11H3zM6 8.5 8 10l-2 1.5M10.5 12H14',
  settings: 'M3 6h7M14 6h3M3 14h3M10 14h7M14 6a2 2 0 1 1-4 0 2 2 0 0 1 4 0M10 14a2 2 0 1 1-4 0 2 2 0 0 1 4 0',
  more: 'M4.5 10h.01M10 10h.01M15.5 10h.01',
  ok: 'M17 10a7 7 0 1 1-14 0 7 7 0 0 1 14 0M6.8 10.2 9 12.4l4.2-4.6',
  ask: 'M17 10a7 7 0 1 1-14 0 7 7 0 0 1 14 0M8 8.2c0-2.8 4.2-2.6 4.2 0 0 1.7-2.2 1.7-2.2 3.3M10 13.8v.01',
  no: 'M17 10a7 7 0 1 1-14 0 7 7 0 0 1 14 0M7.3 7.3l5.4 5.4M12.7 7.3l-5.4 5.4',
  run: 'M17 10a7 7 0 1 1-14 0 7 7 0 0 1 14 0M8.5 7v6l4.5-3z',
  off: 'M17 10a7 7 0 1 1-14 0 7 7 0 0 1 14 0M7 10h6',
  warn: 'M10 3 18 16.5H2zM10 8v4M10 14.2v.01',
  clock: 'M17 10a7 7 0 1 1-14 0 7 7 0 0 1 14 0M10 6v4l2.5 2',
  search: 'M14 9A5 5 0 1 1 4 9a5 5 0 0 1 10 0M13 13l4 4',
  theme: 'M16.5 10a6.5 6.5 0 1 1-13 0 6.5 6.5 0 0 1 13 0',
  back: 'M12 4.5 6.5 10l5.5 5.5',
  next: 'M8 4.5l5.5 5.5L8 15.5',
  play: 'M6.5 4.5v11l9-5.5z',
  pause: 'M7 5v10M13 5v10',
  copy: 'M8.5 7h6.5A1.5 1.5 0 0 1 16.5 8.5V15a1.5 1.5 0 0 1-1.5 1.5H8.5A1.5 1.5 0 0 1 7 15V8.5A1.5 1.5 0 0 1 8.5 7M13 7V3.5H3.5V13H7',
  down: 'M10 3v10M6 9l4 4 4-4M4 16.5h12',
  lock: 'M6 9h8a1.5 1.5 0 0 1 1.5 1.5V15a1.5 1.5 0 0 1-1.5 1.5H6A1.5 1.5 0 0 1 4.5 15v-4.5A1.5 1.5 0 0 1 6 9M7 9V6.5a3 3 0 0 1 6 0V9',
  undo: 'M7 4 3.5 7.5 7 11M4 7.5h7.5a4.5 4.5 0 0 1 0 9H8',
  folder: 'M2.5 5h5l1.5 2h8.5v9h-15z',
  open: 'M4.5 8l5.5 5.5L15.5 8',
  reload: 'M16 10a6 6 0 1 1-1.8-4.3M16.5 3v3.5H13',
  person: 'M13 7a3 3 0 1 1-6 0 3 3 0 0 1 6 0M4 16.5c.5-3.5 3-5 6-5s5.5 1.5 6 5',
  logo: 'M9 17.5C3.5 15 2.5 9 5.5 4.5c.5 2.5 1.5 4 3.5 5 .5-3.5 2-5.5 5-7 3.5 5 3 11.5-2.5 14.5',
} as const;

/** Parts that are filled. */
const FILLS: Partial<Record<IconName, string>> = {
  theme: 'M10 3.5a6.5 6.5 0 0 1 0 13z',
  play: 'M6.5 4.5v11l9-5.5z',
  run: 'M8.5 7v6l4.5-3z',
};

export type IconName = keyof typeof PATHS;

/** Decoration: the text next to it has the meaning. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
      {FILLS[name] === undefined ? undefined : <path d={FILLS[name]} fill="currentColor" />}
    </svg>
  );
}
