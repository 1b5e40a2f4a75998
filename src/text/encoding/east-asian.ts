/**
 * Detects Chinese, Japanese and Korean encodings. They use the same bytes, and letter statistics need long texts. A few words
 * are enough with a table of where each encoding has its common characters, and which characters are the most frequent.
 */
import { characterBoundary, DOUBLE_BYTE } from './boundary.ts';
import { type Encoding, encodingNamed } from './encoding.ts';

interface Script {
  readonly name: string;
  /** How common a character of these two bytes is, from 0 to 1 or a little more. */
  usual(lead: number, trail: number): number;
  readonly frequent: ReadonlySet<string>;
}

/** Real texts score about 1, other bytes far less. */
const ENOUGH = 0.6;
/** A lower score means that there are no frequent characters, or many rare ones. */
const USUAL = 0.9;
/** The required lead over the next best encoding. */
const CLEARLY = 0.2;

/** Common kana, which occur in every sentence, and the most frequent kanji. */
const JAPANESE = new Set(
  'のにはをたがでてとしれさいうるんまりっらもなかくすンースルトアイリラッド日本語人年大国会中出上分行生見時間事者手東京的学校高新前後字文設定入力名前検索保存登録削除管理山田太郎、。',
);

const SCRIPTS: readonly Script[] = [
  {
    name: 'gb18030',
    usual: (lead, trail) =>
      trail < 0xa1
        ? 0.1
        : within(lead, 0xb0, 0xd7)
          ? 1
          : isOneOf(lead, 0xa1, 0xa3)
            ? 0.8
            : within(lead, 0xd8, 0xf7)
              ? 0.3
              : 0.1,
    frequent: new Set(
      '的一是不了在人有我他这中大来上个国到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可她里后小么心多天而能好都然没日于起还发成事只作当想看文无开手十用主行方又如前所本见经头面公同三已老从动两长知样现分将外但身些与高意进把法此实回二理美点月明其种声全工己话者向情部正名定女问力机给等几很业最间新什打便位因重被走电四第门相次东海口使西再平真世气信北少关并内加化由代产入先山五太水万市体别处总才书比住员性通目华报立活数件安表原车白应路期,。测试登录数据库连接失败密码户配置错误保存设搜索编辑删除添加单号张李王刘陈京城区省',
    ),
  },
  {
    name: 'big5',
    usual: (lead) =>
      within(lead, 0xa4, 0xc6) ? 1 : isOneOf(lead, 0xa1, 0xa1) ? 0.8 : within(lead, 0xc9, 0xf9) ? 0.3 : 0,
    frequent: new Set(
      '的一是不了在人有我他這中大來上個國到說們為子和你地出道也時年得就那要下以生會自著去之過家學對可她裡後小麼心多天而能好都然沒日於起還發成事只作當想看文無開手十用主行方又如前所本見經頭面公同三已老從動兩長知樣現分將外但身些與高意進把法此實回二理美點月明其種聲全工己話者向情部正名定女問力機給等幾很業最間新什打便位因重被走電四第門相次東海口使西再平真世氣信北少關並內加化由代產入先山五太水萬市體別處總才書比住員性通目華報立活數件安表原車白應路期,。測試登錄入資料庫連線失敗密碼戶設置檔案錯誤儲存搜尋編輯刪除單號張李王劉陳臺灣區省',
    ),
  },
  {
    name: 'shift_jis',
    usual: (lead, trail) => {
      if (lead === 0x82) return within(trail, 0x9f, 0xf1) ? 1.2 : 0.6;
      if (lead === 0x83) return trail <= 0x96 ? 1.1 : 0.3;
      return lead === 0x81 ? 0.8 : within(lead, 0x88, 0x97) ? 0.9 : 0.3;
    },
    frequent: JAPANESE,
  },
  {
    name: 'euc-jp',
    usual: (lead) =>
      lead === 0xa4 ? 1.2 : lead === 0xa5 ? 1.1 : lead === 0xa1 ? 0.8 : within(lead, 0xb0, 0xcf) ? 0.9 : 0.3,
    frequent: JAPANESE,
  },
  {
    name: 'euc-kr',
    usual: (lead, trail) => (trail < 0xa1 ? 0.1 : within(lead, 0xb0, 0xc8) ? 1 : isOneOf(lead, 0xa1, 0xa3) ? 0.8 : 0.1),
    frequent: new Set(
      '이다는을를의에가은로하고지기사한나인도어아리자시서대정해부일스그니있것으라들수안만게전주장상세구마보제성여원유과동와우러면무소실경연조공비오신요생관용위방내국문물화글습입녕름비밀번호설홍길테트로그잘못된저삭검색울파날줄찾씨',
    ),
  },
];

export interface EastAsianGuess {
  readonly encoding: Encoding;
  readonly score: number;
  /** The next best encoding scores almost as well. */
  readonly unsure: boolean;
}

/** Undefined when the bytes are not common characters of any of these encodings. */
export function guessEastAsian(sample: Uint8Array, complete: boolean): EastAsianGuess | undefined {
  const guesses = SCRIPTS.flatMap((script) => {
    const encoding = encodingNamed(script.name);
    if (encoding === undefined) return [];
    const end = complete ? sample.length : characterBoundary(encoding, sample, Math.max(0, sample.length - 4));
    const bytes = sample.subarray(0, end);
    return [{ encoding, score: encoding.fits(bytes) ? scoreOf(script, encoding, bytes) : 0 }];
  });
  const [best, next] = guesses.toSorted((a, b) => b.score - a.score);
  if (best === undefined || best.score <= ENOUGH) return undefined;
  const hasRival = next !== undefined && best.score - next.score < CLEARLY;
  return { ...best, unsure: hasRival || best.score < USUAL };
}

/** A text with at least this many characters has a frequent one; otherwise it may be something else. */
const SOME = 3;
const WITHOUT_FREQUENT = 0.8;

/** The mean over all characters that are not ASCII: how common each is, plus one for a frequent one. */
function scoreOf(script: Script, encoding: Encoding, bytes: Uint8Array): number {
  const lengthAt = DOUBLE_BYTE[script.name]!;
  let characters = 0;
  let sum = 0;
  for (let at = 0; at < bytes.length; ) {
    const length = lengthAt(bytes, at);
    if (bytes[at]! >= 0x80) {
      characters++;
      if (length === 2) sum += script.usual(bytes[at]!, bytes[at + 1]!);
    }
    at += length;
  }
  let frequent = 0;
  for (const char of encoding.decode(bytes)) if (script.frequent.has(char)) frequent++;
  if (characters === 0) return 0;
  const score = (sum + frequent) / characters;
  return frequent === 0 && characters >= SOME ? score * WITHOUT_FREQUENT : score;
}

function within(value: number, from: number, to: number): boolean {
  return value >= from && value <= to;
}

function isOneOf(value: number, a: number, b: number): boolean {
  return value === a || value === b;
}
