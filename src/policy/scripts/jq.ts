/**
 * Programs of jq that only read their input. Names are a closed list: `env` and `$ENV` show variables, `import`, `include`,
 * `modulemeta` and `get_search_list` load files.
 */
import { Cursor } from './cursor.ts';

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

const KEYWORDS = words('def if then elif else end as reduce foreach try catch label break and or not');
const FUNCTIONS = words(`
  length utf8bytelength keys keys_unsorted values has in map map_values pick path del delpaths setpath getpath paths leaf_paths
  to_entries from_entries with_entries select empty error add any all flatten range floor ceil round sqrt pow log log2 log10 exp
  exp2 exp10 fabs abs trunc min max min_by max_by unique unique_by group_by sort sort_by reverse contains inside startswith endswith
  combinations walk transpose first last nth until while repeat limit skip recurse recurse_down tostring tonumber toboolean type
  infinite nan isinfinite isnan isnormal isvalid arrays objects iterables booleans numbers normals finites strings nulls scalars
  ltrimstr rtrimstr trimstr trim ltrim rtrim explode implode split splits join ascii ascii_downcase ascii_upcase indices index
  rindex test match capture scan sub gsub tojson fromjson todate fromdate fromdateiso8601 todateiso8601 now mktime gmtime localtime
  strftime strptime strflocaltime date dateadd datesub bsearch tostream fromstream truncate_stream toarray have_literal_numbers
  have_decnum significand input inputs debug stderr input_line_number input_filename halt halt_error null true false IN INDEX
`);
const NEVER = words('env import include modulemeta get_search_list');
const FORMATS = words('text json html uri urid csv tsv sh base32 base32d base64 base64d');

const BLANKS = /[ \t\n]+/y;
const COMMENT = /#[^\n]*/y;
const NAME = /[A-Za-z_][A-Za-z0-9_]*(?:::[A-Za-z0-9_]*)*/y;
const FIELD = /\.[A-Za-z_][A-Za-z0-9_]*/y;
const VARIABLE = /\$[ \t\n]*[A-Za-z_][A-Za-z0-9_:]*/y;
const NUMBER = /(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/y;
const FORMAT = /@[A-Za-z0-9]+/y;
const PLAIN_TEXT = /(?:[^"\\]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*/y;
const RECURSION = /\.\./y;
const OPERATOR = /\?\/\/|\|=|\/\/=?|[-+*/%=!<>]=|[-+*/%=<>|,.:;?]/y;
const BRACKETS: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

/** Why a program is not accepted. */
export function jqProblem(script: string): string | undefined {
  if (/[\0\r]/.test(script)) return 'it has a control character';
  return new JqProgram(script).problem();
}

class JqProgram {
  readonly #text: string;
  readonly #cursor: Cursor;
  /** What it defines: functions and their parameters. A name is known only after its definition, as in jq. */
  readonly #defined = new Set<string>();
  #definition: 'name' | 'parameters' | undefined;
  /** The closing brackets that are missing; `\` ends an expression in a string. */
  readonly #open: string[] = [];
  /** The last token, for keys of objects. */
  #last = '';

  constructor(text: string) {
    this.#text = text;
    this.#cursor = new Cursor(text);
  }

  problem(): string | undefined {
    while (!this.#cursor.isAtEnd()) {
      const problem = this.#token();
      if (problem !== undefined) return problem;
    }
    return this.#open.length === 0 ? undefined : 'a bracket has no end';
  }

  #token(): string | undefined {
    if (this.#cursor.take(BLANKS) !== undefined) return undefined;
    const comment = this.#cursor.take(COMMENT);
    if (comment !== undefined) return comment.includes('\\') ? 'a comment has a backslash' : undefined;
    const last = this.#last;
    this.#last = this.#cursor.peek();
    if (this.#cursor.peek() === '"') {
      this.#cursor.shift();
      return this.#string();
    }
    if (this.#cursor.take(RECURSION) !== undefined) return undefined;
    if (this.#cursor.take(FIELD) !== undefined || this.#cursor.take(NUMBER) !== undefined) return undefined;
    const format = this.#cursor.take(FORMAT);
    if (format !== undefined) return FORMATS.has(format.slice(1)) ? undefined : `the format ${format} is not accepted`;
    const variable = this.#cursor.take(VARIABLE);
    if (variable !== undefined) return variableProblem(variable.slice(1).trim());
    const name = this.#cursor.take(NAME);
    if (name !== undefined) return this.#name(name, last);
    return this.#bracketOrOperator();
  }

  #bracketOrOperator(): string | undefined {
    const char = this.#cursor.peek();
    const close = BRACKETS[char];
    if (char === ':' || char === ')') this.#definition = undefined;
    if (close !== undefined) {
      this.#cursor.shift();
      this.#open.push(close);
      return undefined;
    }
    if (char === ')' || char === ']' || char === '}') {
      this.#cursor.shift();
      const expected = this.#open.pop();
      if (expected === '\\' && char === ')') return this.#string();
      return expected === char ? undefined : `"${char}" closes nothing`;
    }
    return this.#cursor.take(OPERATOR) === undefined ? `${JSON.stringify(char)} is not accepted` : undefined;
  }

  /** After its opening quote. */
  #string(): string | undefined {
    this.#cursor.take(PLAIN_TEXT);
    if (this.#cursor.peek() === '"') {
      this.#cursor.shift();
      this.#last = '"';
      return undefined;
    }
    if (this.#text.startsWith('\\(', this.#cursor.at)) {
      this.#cursor.at += 2;
      this.#open.push('\\');
      this.#last = '(';
      return undefined;
    }
    return 'a string has no end, or an unknown escape';
  }

  #name(name: string, last: string): string | undefined {
    const isKey = this.#open.at(-1) === '}' && (last === '{' || last === ',');
    if (isKey && !name.includes('::')) return undefined;
    if (this.#definition !== undefined) {
      if (NEVER.has(name) || KEYWORDS.has(name)) return `it defines ${name}`;
      this.#defined.add(name);
      this.#definition = 'parameters';
      return undefined;
    }
    if (name === 'def') this.#definition = 'name';
    if (name === 'if') this.#open.push('end');
    if (name === 'end' && this.#open.pop() !== 'end') return '"end" closes nothing';
    if (KEYWORDS.has(name) || FUNCTIONS.has(name) || this.#defined.has(name)) return undefined;
    return `${name} is not accepted`;
  }
}

function variableProblem(name: string): string | undefined {
  return name === 'ENV' || name.includes(':') || (name.startsWith('__') && name !== '__loc__')
    ? `$${name} is not accepted`
    : undefined;
}
