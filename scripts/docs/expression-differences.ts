/** Where expressions and CEL differ: for the reference, and for a test that tries each line. */

/** One difference, with an expression that shows it. */
export interface Difference {
  readonly what: string
  readonly cel: string
  readonly here: string
  readonly example: string
  /** Result of the example: it is true, it ends with an error, or the loader refuses it. */
  readonly becomes: 'true' | 'an error' | 'refused'
}

export const differences: readonly Difference[] = [
  {
    what: 'numbers',
    cel: '`int`, `uint` and `double`, of 64 bits each',
    here: 'one kind, the numbers of JSON; `1` and `1.0` are the same',
    example: '7 / 2 == 3.5 && 7.5 % 2 == 1.5 && 1 == 1.0',
    becomes: 'true',
  },
  {
    what: 'whole numbers beyond 2^53',
    cel: 'up to 2^63, beyond it an error',
    here: 'refused in a runbook; a result is rounded as JSON numbers are',
    example: '9007199254740993 > 0',
    becomes: 'refused',
  },
  {
    what: 'division by zero, overflow',
    cel: 'infinities and NaN for `double`, an error for `int`',
    here: 'an error: JSON has no such numbers',
    example: '1.0 / 0.0 > 0.0',
    becomes: 'an error',
  },
  {
    what: 'unsigned numbers, bytes',
    cel: "`1u`, `b'x'`",
    here: 'none',
    example: '1u == 1u',
    becomes: 'refused',
  },
  {
    what: 'times and durations',
    cel: "`timestamp('…') + duration('1h')`, `getHours`",
    here: 'texts, with functions of their own; compare two times with `secondsBetween`',
    example: "addTime('2025-07-01T08:00:00Z', '1h') == '2025-07-01T09:00:00Z'",
    becomes: 'true',
  },
  {
    what: 'types, `dyn`, conversions',
    cel: '`type(1) == int`, `dyn(x)`, `int(x)`, `double(x)`',
    here: 'no type queries; `string`, `number` and `json` convert',
    example: 'type(1) == type(2)',
    becomes: 'refused',
  },
  {
    what: 'messages, enums, containers',
    cel: '`Host{name: 1}`, `a.b.Host`, `.a`',
    here: 'none: JSON has lists and maps',
    example: 'Host{name: 1}.name == 1',
    becomes: 'refused',
  },
  {
    what: 'optionals',
    cel: '`a.?b`, `optional.of(1)`',
    here: '`has(a.b)` and `default(a.b, …)`',
    example: "default({'a': {}}.a.b, 7) == 7",
    becomes: 'true',
  },
  {
    what: '`has` on a path',
    cel: 'an error if the path ends before its last part',
    here: 'false; also works with positions',
    example: "!has({'a': 1}.b.c) && has([1][0]) && !has([1][1])",
    becomes: 'true',
  },
  {
    what: '`has` on a null',
    cel: 'depends on the container',
    here: 'true: null is a value',
    example: "has({'a': null}.a) && default({'a': null}.a, 1) == null",
    becomes: 'true',
  },
  {
    what: 'names of fields in a map',
    cel: 'text, `int`, `uint` or `bool`',
    here: 'text',
    example: '{1: 2}[1] == 2',
    becomes: 'an error',
  },
  {
    what: 'other names after a dot',
    cel: 'in backticks: `` a.`b-c` ``',
    here: "in brackets: `a['b-c']`",
    example: "{'b-c': 1}['b-c'] == 1",
    becomes: 'true',
  },
  {
    what: 'an error in `&&` and `||`',
    cel: 'is ignored when the other side decides',
    here: 'an error on the left; the right side is not evaluated when the left side decides',
    example: '1 / 0 == 1 || true',
    becomes: 'an error',
  },
  {
    what: 'an error in `all` and `exists`',
    cel: 'is ignored when another item decides',
    here: 'an error, unless an earlier item decides',
    example: '[0, 1].exists(x, 1 / x > 0)',
    becomes: 'an error',
  },
  {
    what: '`==` between kinds',
    cel: 'refused by the compiler where it knows the kinds, else false',
    here: 'the same; lists and maps are compared in depth',
    example: "!({'a': [1, '1']} == {'a': ['1', 1]})",
    becomes: 'true',
  },
  {
    what: 'order between kinds',
    cel: 'an error',
    here: 'an error; numbers, texts, and false before true have an order',
    example: "1 < 'a'",
    becomes: 'an error',
  },
  {
    what: '`in` for a map',
    cel: 'an error for a key of another kind',
    here: 'false unless the key is a text',
    example: "!(1 in {'a': 1}) && 'a' in {'a': 1}",
    becomes: 'true',
  },
  {
    what: 'lists of several kinds',
    cel: 'need `dyn`',
    here: 'as JSON has them',
    example: "size([1, 'a', null, [true], {}]) == 5",
    becomes: 'true',
  },
  {
    what: 'macros',
    cel: 'with two variables, `cel.bind`, `transformMapEntry` as extensions',
    here: 'those of the table, with one variable; `map` also takes a condition, and `toMap` makes a map',
    example: "[1, 2].toMap(x, string(x), x * 2) == {'1': 2, '2': 4}",
    becomes: 'true',
  },
  {
    what: 'functions',
    cel: 'a few, and extensions',
    here: 'the tables above; each can be called on its first argument',
    example: "size('a') == 'a'.size()",
    becomes: 'true',
  },
  {
    what: 'functions with a dot in their name',
    cel: '`base64.encode`, `regex.extract`, `lists.range`, `math.greatest`',
    here: 'one word, since a dot calls a function on a value: `base64`, `regexExtract`, `range`, `max`',
    example: "base64('é') == 'w6k=' && range(2) == [0, 1]",
    becomes: 'true',
  },
  {
    what: '`regex.extract` without a match',
    cel: 'an optional without a value',
    here: 'null',
    example: "'idle'.regexExtract('[0-9]+') == null",
    becomes: 'true',
  },
  {
    what: 'bytes of `base64.decode`',
    cel: 'any bytes',
    here: 'a text in UTF-8; other bytes are an error',
    example: "fromBase64('/w==') == 'ÿ'",
    becomes: 'an error',
  },
  {
    what: '`round` of halves',
    cel: '`math.round` goes away from zero: -1.5 becomes -2',
    here: 'halves go up: -1.5 becomes -1',
    example: 'round(-1.5) == -1 && round(1.5) == 2',
    becomes: 'true',
  },
  {
    what: '`+` on maps',
    cel: 'none',
    here: 'the fields of both; those of the right side take precedence',
    example: "{'a': 1, 'b': 1} + {'b': 2} == {'a': 1, 'b': 2}",
    becomes: 'true',
  },
  {
    what: 'characters of a text',
    cel: 'Unicode code points',
    here: 'the same, in `size`, positions and order',
    example: "size('aé😀') == 3 && 'a😀b'.substring(2) == 'b' && 'ﬀ' < '😀'",
    becomes: 'true',
  },
  {
    what: 'a backslash in a raw text',
    cel: "is literal: `r'\\'` is one backslash",
    here: 'is literal, and the quote after it does not end the text',
    example: "size(r'\\'') == 2",
    becomes: 'true',
  },
  {
    what: 'white space, numbers',
    cel: 'a form feed is white space; `.5` is a number',
    here: 'neither: write `0.5`',
    example: '.5 == 0.5',
    becomes: 'refused',
  },
]
