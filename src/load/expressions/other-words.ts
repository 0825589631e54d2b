/** Functions that authors know from elsewhere, and what to write instead. */
import type { DiagnosticCode } from '../diagnostic.ts'

/** What to say of a function that expressions do not have. */
export interface OtherWord {
  readonly code: DiagnosticCode
  readonly message: string
  readonly hint?: string
}

/** What CEL has and JSON has no values for. */
const withoutValue: Readonly<Record<string, string>> = {
  timestamp: 'a time is a text such as 2025-07-01T08:00:00Z; use addTime(…) and secondsBetween(…)',
  duration: "a duration is a text such as '90m'; use addTime(time, '90m') or secondsBetween(from, to)",
  bytes: 'JSON has no bytes',
  uint: 'there is one kind of number; number(…) makes one of a text',
  type: 'values have no types to ask for; size, matches and comparisons say what they need',
  of: 'use has(…) or default(…) for what may be missing',
  ofNonZeroValue: 'use has(…) or default(…) for what may be missing',
  none: 'use has(…) or default(…) for what may be missing',
  orValue: 'use default(…)',
  hasValue: 'use has(…)',
  optMap: 'use has(…) and a condition: has(a.b) ? a.b.c : null',
}

/** Words of other languages for what is here. */
const renamed: Readonly<Record<string, string>> = {
  bool: "compare instead: text == 'true'",
  'base64.decode': 'use fromBase64(text)',
  'base64.encode': 'use base64(text)',
  bind: 'use a core/set step for a value that is used several times',
  charAt: 'use substring(from, to)',
  concat: 'use +',
  count: 'use size(…)',
  double: 'use number(…)',
  dyn: 'leave it out',
  every: 'use all(x, …)',
  existsOne: 'use exists_one(x, …)',
  find: 'use filter(x, …).first()',
  format: "use +, or text with several ${{ }}: 'a' + string(1)",
  date: 'use formatTime(time, pattern)',
  decode: 'use fromBase64(text), or fromJson(text)',
  encode: 'use base64(text), or json(value)',
  decodeURIComponent: 'use urlDecode(text)',
  encodeURIComponent: 'use urlEncode(text)',
  extract: 'use regexExtract(text, pattern)',
  extractAll: 'use regexExtractAll(text, pattern)',
  fromEntries: 'use list.toMap(x, x.key, x.value)',
  fromJSON: 'use fromJson(text)',
  greatest: 'use [a, b].max()',
  includes: 'use contains(…), or "in" for lists',
  int: 'use number(…), and floor(…) for a whole one',
  least: 'use [a, b].min()',
  len: 'use size(…)',
  length: 'use size(…)',
  ljust: 'use padEnd(text, size)',
  lowerAscii: 'use lower()',
  'math.abs': 'use abs(number)',
  'math.ceil': 'use ceil(number)',
  'math.floor': 'use floor(number)',
  'math.greatest': 'use [a, b].max()',
  'math.least': 'use [a, b].min()',
  'math.round': 'use round(number)',
  merge: 'use +: the fields of the map on the right take precedence',
  now: 'use run.started_at, or a core/time step',
  order: 'use sort(), or sortBy(x, …)',
  pad: 'use padStart(text, size) or padEnd(text, size)',
  parseJson: 'use fromJson(text)',
  parseFloat: 'use number(…)',
  parseInt: 'use number(…)',
  quote: 'use json(text)',
  'regex.extract': 'use regexExtract(text, pattern)',
  'regex.extractAll': 'use regexExtractAll(text, pattern)',
  'regex.replace': 'use regexReplace(text, pattern, by)',
  rjust: 'use padStart(text, size)',
  some: 'use exists(x, …)',
  'strings.quote': 'use json(text)',
  toFixed: 'use formatNumber(number, digits)',
  toJSON: 'use json(…)',
  toLowerCase: 'use lower()',
  toString: 'use string(…)',
  toUpperCase: 'use upper()',
  transformList: 'use map(x, …)',
  transformMap: 'use names.toMap(name, name, …)',
  transformMapEntry: 'use list.toMap(x, name, value)',
  trunc: 'use floor(…), or ceil(…) below 0',
  upperAscii: 'use upper()',
  always: 'use a finally block',
  failure: "use a catch block, or steps.<id>.status == 'failed'",
  success: "use steps.<id>.status == 'succeeded'",
}

/** How CEL takes a time apart. */
const timeParts: Readonly<Record<string, string>> = {
  getFullYear: "use number(formatTime(time, 'yyyy'))",
  getMonth: "use number(formatTime(time, 'M')), which is 1 for January",
  getDate: "use number(formatTime(time, 'd'))",
  getDayOfMonth: "use number(formatTime(time, 'd')), which is 1 for the first day",
  getDayOfWeek: 'use weekdayOf(time, zone), which is 1 for Monday and 7 for Sunday',
  getDayOfYear: 'use secondsBetween(from, to) / 86400',
  getHours: 'use hourOf(time, zone), or secondsBetween(from, to) / 3600',
  getMinutes: "use number(formatTime(time, 'm')), or secondsBetween(from, to) / 60",
  getSeconds: "use number(formatTime(time, 's')), or secondsBetween(from, to)",
  getMilliseconds: "use number(formatTime(time, 'SSS'))",
}

/** What to say of the function of another language, if it is known. */
export function otherWord(name: string): OtherWord | undefined {
  const part = Object.hasOwn(timeParts, name) ? timeParts[name] : undefined
  if (part !== undefined) {
    return {
      code: 'UNSUPPORTED_EXPRESSION',
      message: `"${name}" needs a time of CEL, and times are texts here`,
      hint: part,
    }
  }
  const why = Object.hasOwn(withoutValue, name) ? withoutValue[name] : undefined
  if (why !== undefined) {
    return {
      code: 'UNSUPPORTED_EXPRESSION',
      message: `"${name}" of CEL is not part of expressions`,
      hint: why,
    }
  }
  const hint = Object.hasOwn(renamed, name) ? renamed[name] : undefined
  return hint === undefined
    ? undefined
    : { code: 'UNKNOWN_FUNCTION', message: `there is no function "${name}"`, hint }
}

/** Words of the expression grammar: none of them can be a name in an expression. */
export const grammarWords: ReadonlySet<string> = new Set([
  'true',
  'false',
  'null',
  'in',
  'as',
  'break',
  'const',
  'continue',
  'else',
  'for',
  'function',
  'if',
  'import',
  'let',
  'loop',
  'package',
  'prototype',
  'namespace',
  'return',
  'var',
  'void',
  'while',
])
