import { expect, it } from 'vitest';
import { wholeSentence } from '../../../src/page/text/sentences.ts';

it.each([
  ['commands run on node web-1', 'Commands run on node web-1.'],
  ['Is it so?', 'Is it so?'],
  ['done!', 'Done!'],
  ['ends already.', 'Ends already.'],
])('%j becomes the sentence %j', (text, sentence) => {
  expect(wholeSentence(text)).toBe(sentence);
});
