/** Texts that every match of a regular expression has in it: without them there is no need to try. */

/** Ends a run of plain characters: what stands for several texts, or for none. */
const SPECIAL = new Set('.^$[](){}*+?|');

/** The plain texts outside of groups that each match has; none where there are choices at the top. */
export function requiredTexts(pattern: string): readonly string[] {
  const texts: string[] = [];
  let run = '';
  let depth = 0;
  const end = (): void => {
    if (run !== '' && depth === 0) texts.push(run);
    run = '';
  };
  const points = [...pattern];
  for (let i = 0; i < points.length; i++) {
    const point = points[i]!;
    if (point === '\\') {
      const escaped = points[++i] ?? '';
      // A letter or digit behind a backslash is a class, a code or a place.
      if (/[A-Za-z0-9]/.test(escaped)) {
        end();
        if (/[pPuxc]/.test(escaped)) return []; // its code comes behind it
      } else run += escaped;
    } else if (!SPECIAL.has(point)) run += point;
    else {
      if (point === '|' && depth === 0) return [];
      // The character in front of these may be missing.
      if (point === '*' || point === '?' || point === '{') run = [...run].slice(0, -1).join('');
      end();
      if (point === '[') while (++i < points.length && points[i] !== ']') if (points[i] === '\\') i++;
      if (point === '{') while (++i < points.length && points[i] !== '}');
      if (point === '(') depth++;
      if (point === ')') depth--;
    }
  }
  end();
  return texts;
}
