/** Which letters beyond ASCII the languages of the single-byte encodings have, and which of them are common. */

export interface Alphabet {
  /** The encodings that texts in these languages were written in, the usual one first. */
  readonly encodings: readonly string[];
  /** Whether words mix these letters with those of ASCII, or have no other letters. */
  readonly script: 'latin' | 'own';
  /** Small letters of each language, the commonest first. */
  readonly languages: readonly string[];
  /** Letters that stand only at the end of words, and those that never do. */
  readonly last?: string;
  readonly neverLast?: string;
}

const WESTERN: Alphabet = {
  encodings: ['windows-1252'],
  script: 'latin',
  languages: [
    'éèàêçôâœîùûïëüæÿ', // French
    'üäöß', // German
    'óíáéñúü', // Spanish
    'ãçáéíõóêâúôàü', // Portuguese
    'àèòùìé', // Italian
    'äöåé', // Swedish, Finnish
    'øåæéòóô', // Danish, Norwegian
    'íáðóæúþéöý', // Icelandic
    'éëïèóöüçáêâô', // Dutch
    'àèéíòóçúïü', // Catalan
    'õäöüšž', // Estonian
  ],
};

const CENTRAL_EUROPEAN: Alphabet = {
  encodings: ['windows-1250', 'iso-8859-2'],
  script: 'latin',
  languages: [
    'íáěéřýčžšůúťďňó', // Czech
    'áíéčšžúýľťôňäďóĺŕ', // Slovak
    'łóęążśćńź', // Polish
    'áéöóőíüúű', // Hungarian
    'čšžćđ', // Croatian, Slovene
    'ăîâşţ', // Romanian
  ],
};

const TURKISH: Alphabet = { encodings: ['windows-1254'], script: 'latin', languages: ['ıüşçöğâîû'] };

const CYRILLIC: Alphabet = {
  encodings: ['windows-1251', 'koi8-r', 'ibm866'],
  script: 'own',
  languages: [
    'оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъё', // Russian
    'оанивертіскмдлупяьзбгчйхжїцюєшщфґ', // Ukrainian
    'аоеинтсрвдлкмпзугъябчйщжхцшюфь', // Bulgarian
  ],
  neverLast: 'ґ',
};

const GREEK: Alphabet = {
  encodings: ['windows-1253', 'iso-8859-7'],
  script: 'own',
  languages: ['αοιετσνηυρπκμλςάόίέωήθγύδβφχώξζψϊΐϋ'],
  last: 'ς',
  neverLast: 'σ',
};

const HEBREW: Alphabet = {
  encodings: ['windows-1255'],
  script: 'own',
  languages: ['יוהלאמרתבשנםכדעחקפטגצסזןךףץ'],
  last: 'םןךףץ',
  neverLast: 'כמנפצ',
};

/** Those that are met most often first. */
export const ALPHABETS: readonly Alphabet[] = [WESTERN, CENTRAL_EUROPEAN, TURKISH, CYRILLIC, GREEK, HEBREW];
