/** `commands run …` begins a sentence here, and ends with a full stop. */
export function wholeSentence(text: string): string {
  const whole = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/u.test(whole) ? whole : `${whole}.`;
}
