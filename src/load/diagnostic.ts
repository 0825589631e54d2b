import { runbookLimits } from './limits.ts'
/** Findings about a file: data with a position. One table says what each code means. */

/** A place in a file. Lines and columns count from 1, `offset` from 0; a mark of UTF-8 at the beginning is not counted. */
export interface Position {
  readonly line: number
  /** Counts UTF-16 code units, as editors do: a tab is one, most characters are one, an emoji is two. */
  readonly column: number
  readonly offset: number
}

export interface Range {
  readonly start: Position
  /** The position after the last character. */
  readonly end: Position
}

export type DiagnosticCode = keyof typeof diagnosticRules

/** One sentence for each code: what it means, whatever the place. */
export const diagnosticRules = {
  FILE_TOO_LARGE: `A runbook is at most ${runbookLimits.bytes / 1024} KB.`,
  NOT_TEXT: 'The file is not UTF-8 text.',
  EMPTY_FILE: 'The file holds no runbook.',
  NOT_A_RUNBOOK: 'The file holds something else: no line says `apiVersion: opsbook/v1`.',
  YAML_SYNTAX: 'The file is not valid YAML.',
  YAML_FEATURE:
    'YAML permits this, runbooks do not: keys that are no texts, numbers that JSON lacks, other versions.',
  YAML_TAG: 'Runbooks have no tags; a condition that begins with `!` looks like one.',
  MERGE_KEY: 'Runbooks have no merge keys (`<<`).',
  UNKNOWN_ALIAS: 'A value begins with `*`, and there is no anchor of that name.',
  TOO_MANY_ALIASES: `Aliases are followed at most ${runbookLimits.aliases} times, and for at most ${count(runbookLimits.aliasedValues)} values.`,
  TAB: 'YAML takes no tabs as indentation.',
  AMBIGUOUS_WORD:
    'What stands there without quotes can be meant as a text or as another value: `yes`, `off`, `3.10`, `0644`.',
  VALUE_IS_COMMENT: 'A value that begins with `#` is a comment, so the key is empty.',
  UNQUOTED_EXPRESSION: 'Without quotes, YAML ends the expression early.',
  MISSING_DOLLAR: 'An expression begins with `${{`, not with `{{` or `${`.',
  NEWLINE_AFTER_EXPRESSION:
    'A block scalar keeps a newline after the expression, which turns its value into a text.',
  DUPLICATE_KEY: 'A map names a key twice.',
  SEVERAL_DOCUMENTS: 'A file holds one runbook.',
  TOO_DEEP: `Maps and lists are nested ${runbookLimits.levels} deep at most.`,
  TOO_MANY_STEPS: `A runbook has at most ${runbookLimits.steps} steps.`,
  LIST_TOO_LONG: `A list has at most ${count(runbookLimits.items)} items.`,
  UNKNOWN_KEY: 'The language has no such key here.',
  MISPLACED_KEY: 'The key belongs to another kind of step or trigger.',
  NOT_ONE_STEP_KIND: 'A step has exactly one of `uses`, `steps`, `parallel`, `choose`.',
  NOT_ONE_SCHEDULE: 'A schedule has exactly one of `cron` and `every`.',
  MISSING_KEY: 'A required key is missing.',
  WRONG_TYPE: 'The value has another type than the key needs.',
  WRONG_VALUE: 'The value has the right type, but is not allowed.',
  INVALID_SCHEMA: '`inputs` is not a JSON Schema of an object, or no value fits it.',
  UNSUPPORTED_SCHEMA: '`inputs` uses a part of JSON Schema that runbooks do not support.',
  WRONG_DEFAULT: 'The default of an input does not fit the schema of that input.',
  INTEGER_TOO_LARGE: 'Integers beyond 2^53 cannot be held exactly.',
  INVALID_DURATION: 'A duration is a number with one of the units ms, s, m, h, d, at most 36500d.',
  INVALID_CRON: 'A cron expression has five fields: minute, hour, day of month, month, day of week.',
  TIMEOUT_TOO_SHORT: 'The time is too short for its purpose.',
  CONTRADICTING_TIMES: 'Two times contradict each other.',
  INVALID_ID: 'An id is a lower-case letter followed by lower-case letters, digits and underscores.',
  DUPLICATE_ID: 'Ids are unique in a runbook.',
  UNKNOWN_ACTION: 'There is no such action.',
  ACTION_NOT_LOADED:
    'The action is not built in, and the modules that may define it are not loaded: the step is not checked.',
  UNKNOWN_ARGUMENT: 'The action has no such argument.',
  MISSING_ARGUMENT: 'The action needs an argument that is not given.',
  WRONG_ARGUMENT: 'The argument does not fit the action.',
  MISSING_SAVE_AS: 'The action writes a file and needs `save-as`.',
  UNSUPPORTED_SAVE_AS: 'The action has nothing to save.',
  UNSUPPORTED_TOLERATE: 'The action has no items that could fail one by one.',
  INVALID_PATH: 'The path leaves the folder that it is relative to, or no file can have it.',
  SAME_FILE: 'Two calls write the same file, or one writes a file and the other a folder of its name.',
  UNKNOWN_CONNECTION:
    'No connection of this name is in `opsbook.yaml`, or there is no such file to look it up in.',
  WRONG_CONNECTION: 'The connection is of another type than the action needs.',
  NO_EFFECT: 'The key has no effect here.',
  UNCOVERED_VALUE: 'The branches of `choose` name some of the listed values, and not all of them.',
  CANNOT_COVER:
    '`covers` names a step that a yes cannot cover: no write, or none that comes after the question.',
  SAFETY_NOT_STATED: 'The call counts as a create because its safety is not stated.',
  UNKNOWN_HOOK: 'There is no hook of this name in `opsbook.yaml`.',
  UNKNOWN_NOTIFY_NAME: 'There is no target of this name under `notify` in `opsbook.yaml`.',
  CANNOT_BE_ANSWERED:
    'With the `people` of `opsbook.yaml`, the answers that `from` asks for cannot be given.',
  TIMEOUT_APPROVES: '`from` says who may approve, and the time limit approves without them.',
  NO_PUBLIC_URL: 'Callbacks need the public address of `serve`, and `opsbook.yaml` does not have it.',
  RUNBOOK_NOT_FOUND: 'The runbook that `core/run` names cannot be read.',
  RUNBOOK_CYCLE: 'A runbook runs itself, directly or through others.',
  RUNBOOK_TOO_DEEP: 'Runbooks run one another at most five levels deep, and 50 in total.',
  MISSING_INPUT: 'The runbook needs an input that is not given.',
  WRONG_INPUT: 'The value does not fit the input.',
  EXPRESSION_SYNTAX: 'The expression cannot be read.',
  EXPRESSION_NOT_CLOSED: 'An expression begins with `${{` and does not end.',
  NOT_ONE_EXPRESSION: 'The key takes exactly one whole expression.',
  UNSUPPORTED_EXPRESSION: 'CEL permits this, runbooks do not: JSON has no such value.',
  UNKNOWN_NAME: 'There is no such name here.',
  UNKNOWN_STEP: 'No step before this one has this id.',
  UNKNOWN_INPUT: 'The runbook declares no such input.',
  UNKNOWN_FUNCTION: 'Expressions have no such function.',
  UNKNOWN_FIELD: 'The value has no such field.',
  UNKNOWN_SECRET: 'The runbook declares no secret of this name, or `opsbook.yaml` has none.',
  UNKNOWN_ERROR_CODE: 'No known error has this code.',
  UNKNOWN_TIMEZONE: 'There is no time zone of this name.',
  UNKNOWN_TOOL: 'The name is similar to that of a known diagnostic tool.',
  UNLISTED_VALUE: 'The service’s document does not list or allow this value; newer services may accept it.',
  DEPRECATED_ARGUMENT: 'The argument is deprecated.',
  MISSING_GUARD: 'The value may be missing, and no condition rules this out.',
  WRONG_KIND: 'The value has another type than the expression or the key needs.',
  NEVER_EQUAL: 'The two sides can never be equal.',
  ALWAYS_FAILS:
    'The expression, or a part of it, depends on nothing, and its evaluation fails. Parts that no run reaches are left out.',
  EXPRESSION_NOT_ALLOWED: 'The key is fixed when the runbook is loaded and takes no expression.',
  EXPRESSION_NOT_EVALUATED: 'The key is for people and never evaluated.',
  INJECTION_RISK:
    'An expression stands where a shell or an interpreter reads it as code, or names the program: its value could run anything.',
  COMMAND_NOT_ALLOWED: '`commands` of `opsbook.yaml` does not allow commands there.',
  MISPLACED_SECRET: 'A secret is used in an argument that the action does not mark as sensitive.',
  LITERAL_SECRET: 'A sensitive argument is written into the runbook, and not taken from `secrets`.',
  SECRET_ANSWER: 'A step asks a person for a secret. Answers are recorded.',
}

/** One finding. `code` and `range` are the contract; the message is for people. */
export interface Diagnostic {
  readonly code: DiagnosticCode
  readonly severity: 'error' | 'warning'
  readonly message: string
  /** What to write instead. */
  readonly hint?: string
  /** The file, where the loader knows its name. A finding about a runbook that `core/run` names has that file. */
  readonly file?: string
  /** Where in the document, such as `steps[2].with.tools`. */
  readonly path: string
  readonly range: Range
}

/** Such as `10,000`. */
function count(number: number): string {
  return String(number).replace(/(?<=\d)(?=(\d{3})+$)/g, ',')
}
