import { describe, expect, it } from 'vitest';
import { detectEncoding } from '../../../src/text/encoding/detect.ts';
import { survey } from '../../../src/text/encoding/survey.ts';
import { fc } from '../../support/property.ts';
import { encodeAs } from './legacy-bytes.ts';

const CHINESE = '这是一个用来测试编码检测的文件。\n它有几行中文,也有 English words.\n第三行在这里结束。\n';
const TRADITIONAL = '這是一個用來測試編碼偵測的檔案。\n它有幾行中文,也有 English words。\n第三行在這裡結束。\n';
const JAPANESE =
  'これは文字コードの検出を試すためのファイルです。\n漢字とカタカナ、ひらがなが入っています。\n三行目です。\n';
const KOREAN = '이것은 문자 인코딩을 시험하는 파일입니다.\n한글로 된 몇 줄이 있습니다.\n세 번째 줄입니다.\n';
const WESTERN = 'Où est le café? Très près de la gare.\nÜber den Straßen von Köln “fliegt” ein Vogel – für 5 €.\n';

async function found(bytes: Uint8Array, complete = true) {
  const { encoding, bom } = await detectEncoding(bytes, { complete });
  return [encoding?.name, bom];
}

describe('detectEncoding', () => {
  it.each([
    ['utf-8', CHINESE],
    ['utf-16le', CHINESE],
    ['utf-16be', CHINESE],
    ['utf-16le', 'plain ASCII\r\nin two lines\r\n'],
    ['utf-16be', 'plain ASCII\r\nin two lines\r\n'],
    ['windows-1252', WESTERN],
    ['windows-1252', 'caf\u00e9'],
    ['gb18030', CHINESE],
    ['big5', TRADITIONAL],
    ['shift_jis', JAPANESE],
    ['euc-jp', JAPANESE],
    ['euc-kr', KOREAN],
  ])('recognises %s without a mark', async (name, text) => {
    expect(await found(encodeAs(name, text))).toEqual([name, 0]);
  });

  it.each([
    ['gb18030', '你好,世界'],
    ['gb18030', '你好\n'],
    ['gb18030', '中文\n'],
    ['gb18030', 'name=张三\n'],
    ['gb18030', '# 配置文件\nport = 80 # 端口\n'],
    ['shift_jis', 'こんにちは\n'],
    ['shift_jis', '日本語\n'],
    ['shift_jis', 'テスト'],
    ['shift_jis', '設定=日本語テスト\nabc'],
    ['euc-jp', 'こんにちは世界\n'],
    ['euc-jp', '日本語テスト\n'],
    ['euc-kr', '안녕하세요\n'],
    ['euc-kr', '한글\n'],
    ['big5', '你好,世界\n'],
    ['big5', '這是中文測試\n'],
    ['windows-1252', 'é'],
    ['windows-1252', 'naïve café\n'],
    ['windows-1252', '© 2024 Foo\n'],
    ['windows-1252', 'price: 5 €\n'],
    ['windows-1252', '100 µm, 20°C\n'],
    ['windows-1252', '“quoted”\n'],
    ['windows-1252', 'ÄÖÜ ÀÉ\n'],
    ['windows-1252', 'Ærøskøbing, Ålborg; søen så blå\n'],
    ['windows-1252', 'it’s'],
    ['windows-1252', 'naïf'],
    ['windows-1252', 'œuvre'],
    ['windows-1252', 'Der Schlüssel für die Tür liegt über dem Kästchen'],
    ['windows-1252', '¿Dónde está el baño? ¡Aquí!'],
    ['windows-1252', 'Þetta er íslenskur texti með áherslum'],
    ['windows-1252', 'Configuração não é válida'],
    ['windows-1250', 'Příliš žluťoučký kůň úpěl ďábelské ódy'],
    ['windows-1250', 'nastavení=ano\nuživatel=Jiří\n'],
    ['windows-1250', 'Neplatné heslo, zkuste to znovu prosím'],
    ['windows-1250', 'Zażółć gęślą jaźń'],
    ['windows-1250', 'Błąd: plik nie został znaleziony'],
    ['windows-1250', 'Árvíztűrő tükörfúrógép'],
    ['iso-8859-2', 'Příliš žluťoučký kůň'],
    ['iso-8859-2', 'Wystąpił błąd podczas zapisu'],
    ['windows-1253', 'Καλημέρα κόσμε'],
    ['windows-1253', '# ρυθμίσεις\nport=80\n'],
    ['windows-1253', 'ΣΦΑΛΜΑ: το αρχείο δεν βρέθηκε'],
    ['windows-1254', 'kullanıcı=Ayşe\nşehir=İzmir\n'],
    ['windows-1254', 'Dosya bulunamadı, lütfen tekrar deneyin'],
    ['windows-1255', 'שלום עולם'],
    ['windows-1251', 'Привет мир, это тест кодировки\n'],
    ['windows-1251', 'Привет'],
    ['windows-1251', '# файл настроек\nport=80\n'],
    ['windows-1251', 'имя: Иван'],
    ['windows-1251', 'Привіт, світе, їжак'],
    ['koi8-r', 'Привет мир, это тест кодировки\n'],
    ['koi8-r', 'Привет'],
    ['koi8-r', 'настройки=да\n'],
    ['koi8-r', 'конфигурация'],
    ['koi8-r', 'print("тест")  # комментарий\n'],
    ['ibm866', 'Привет мир'],
    ['euc-jp', 'もう一度'],
    ['euc-jp', '検索'],
    ['big5', '測試'],
    ['gb18030', '测试'],
    ['gb18030', '订单编号'],
    ['euc-kr', '서울'],
    ['euc-kr', '잘못된 비밀번호'],
    ['euc-jp', 'ログイン'],
  ])('recognises %s from a few words: %j', async (name, text) => {
    expect(await found(encodeAs(name, text))).toEqual([name, 0]);
  });

  it.each([
    ['windows-1252', 'Où est le café? Très près de la gare.\n', undefined],
    ['windows-1250', 'nastavení=ano\nuživatel=Jiří\n', undefined],
    ['koi8-r', 'Привет мир, это тест кодировки\n', undefined],
    ['gb18030', CHINESE, undefined],
    ['windows-1252', 'La nena és aquí perquè té raó', true],
    ['windows-1254', 'şifre yanlış', true],
    ['windows-1251', 'да', true],
  ])('knows whether it is sure about %s in %j', async (name, text, unsure) => {
    expect((await detectEncoding(encodeAs(name, text), { complete: true })).unsure).toBe(unsure);
  });

  it.each([
    ['utf-8', [0xef, 0xbb, 0xbf, 0x61], 'utf-8', 3],
    ['utf-16le', [0xff, 0xfe, 0x61, 0], 'utf-16le', 2],
    ['utf-16be', [0xfe, 0xff, 0, 0x61], 'utf-16be', 2],
    ['utf-32, which it takes for no text', [0xff, 0xfe, 0, 0, 0x61, 0, 0, 0], undefined, 4],
  ])('follows the byte order mark of %s', async (_, bytes, name, bom) => {
    expect(await found(Uint8Array.from(bytes))).toEqual([name, bom]);
  });

  it.each([
    ['NUL bytes only', new Uint8Array(4096)],
    ['a stray NUL in text', encodeAs('utf-8', 'abc\0def and so on\n')],
    ['small numbers of two bytes', Uint8Array.from({ length: 400 }, (_, i) => (i % 2 === 0 ? (i / 2) % 9 : 0))],
    ['mostly control characters', Uint8Array.from({ length: 100 }, (_, i) => (i % 3 === 0 ? 1 : 0x41))],
    ['bytes that no encoding explains', Uint8Array.from({ length: 300 }, (_, i) => [0xff, 0x81, 0x9d, 0xfe][i % 4]!)],
  ])('takes %s for no text', async (_, bytes) => {
    expect(await found(bytes)).toEqual([undefined, 0]);
  });

  it('keeps to UTF-8 when a few bytes of it are damaged', async () => {
    const bytes = new Uint8Array([...encodeAs('utf-8', CHINESE), 0xff, ...encodeAs('utf-8', CHINESE)]);
    expect(await found(bytes)).toEqual(['utf-8', 0]);
  });

  it('agrees with a byte-by-byte check for any valid UTF-8', () => {
    const piece = fc.constantFrom('a', ' ', '\n', '\u001b', '\u0001', 'é', '中', '😀');
    return fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 40 }), async (pieces) => {
        const bytes = encodeAs('utf-8', pieces.join(''));
        const { controls, high } = survey(bytes, true);
        const { encoding, onlyAscii } = await detectEncoding(bytes, { complete: true });
        expect(encoding?.name).toBe(controls > bytes.length * 0.1 ? undefined : 'utf-8');
        expect(onlyAscii).toBe(high === 0);
      }),
    );
  });

  it('is not misled by a character that the end of the sample cuts in two', async () => {
    const bytes = encodeAs('utf-8', '中');
    expect(await found(bytes.subarray(0, 2), false)).toEqual(['utf-8', 0]);
    expect(await found(encodeAs('gb18030', CHINESE).subarray(0, -4), false)).toEqual(['gb18030', 0]);
  });

  it('asks whether a known format begins so before it guesses an old encoding', async () => {
    const options = { complete: true, isKnownBinary: async () => true };
    expect((await detectEncoding(encodeAs('gb18030', CHINESE), options)).encoding).toBeUndefined();
    expect((await detectEncoding(encodeAs('utf-8', CHINESE), options)).encoding?.name).toBe('utf-8');
  });
});
