/** Functions that authors know from elsewhere, and what to write instead. */
import type { DiagnosticCode } from '../../core/diagnostic.ts'

/** What to say of a function that expressions do not have. */
export interface OtherWord {
  readonly code: DiagnosticCode
  readonly message: string
  readonly hint?: string
}

/** What CEL has and JSON has no values for. */
const withoutValue: Readonly<Record<string, string>> = {
  timestamp: 'times are texts here, such as 2025-07-01T08:00:00Z',
  duration: 'durations stand in keys such as timeout, not in expressions',
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
  charAt: 'use substring(from, to)',
  concat: 'use +',
  count: 'use size(…)',
  double: 'use number(…)',
  dyn: 'leave it out',
  every: 'use all(x, …)',
  existsOne: 'use exists_one(x, …)',
  find: 'use filter(x, …).first()',
  format: "use +, or text with several ${{ }}: 'a' + string(1)",
  fromJSON: 'answers are values already; nothing has to be parsed',
  greatest: 'use [a, b].max()',
  includes: 'use contains(…), or "in" for lists',
  int: 'use number(…), and floor(…) for a whole one',
  least: 'use [a, b].min()',
  len: 'use size(…)',
  length: 'use size(…)',
  lowerAscii: 'use lower()',
  parseFloat: 'use number(…)',
  parseInt: 'use number(…)',
  some: 'use exists(x, …)',
  toJSON: 'use json(…)',
  toLowerCase: 'use lower()',
  toString: 'use string(…)',
  toUpperCase: 'use upper()',
  upperAscii: 'use upper()',
  always: 'use a finally block',
  failure: "use a catch block, or steps.<id>.status == 'failed'",
  success: "use steps.<id>.status == 'succeeded'",
}

const timeParts =
  /^get(FullYear|Month|Date|DayOfMonth|DayOfWeek|DayOfYear|Hours|Minutes|Seconds|Milliseconds)$/

/** What to say of the function of another language, if it is known. */
export function otherWord(name: string): OtherWord | undefined {
  if (timeParts.test(name)) {
    return {
      code: 'UNSUPPORTED_EXPRESSION',
      message: `"${name}" needs a time, and JSON has none`,
      hint: 'times are texts here',
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
