/** The letters beyond ASCII in the languages of the single-byte encodings, by frequency. */

export interface Alphabet {
  /** The encodings of texts in these languages, the most common first. */
  readonly encodings: readonly string[];
  /** `latin`: words mix these letters with ASCII letters. `own`: words have no other letters. */
  readonly script: 'latin' | 'own';
  /** Lower-case letters of each language, the most common first. */
  readonly languages: readonly string[];
  /** Letters that occur only at the end of words, and those that never do. */
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

/** The most common first. */
export const ALPHABETS: readonly Alphabet[] = [WESTERN, CENTRAL_EUROPEAN, TURKISH, CYRILLIC, GREEK, HEBREW];
