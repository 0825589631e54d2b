/** Findings about a file: data with a position. One table says what each code means. */

/** A place in a file. Lines and columns count from 1, `offset` from 0. */
export interface Position {
  readonly line: number
  readonly column: number
  readonly offset: number
}

export interface Range {
  readonly start: Position
  /** The position after the last character. */
  readonly end: Position
}

export type DiagnosticCode =
  | 'FILE_TOO_LARGE'
  | 'NOT_TEXT'
  | 'EMPTY_FILE'
  | 'YAML_SYNTAX'
  | 'YAML_FEATURE'
  | 'DUPLICATE_KEY'
  | 'SEVERAL_DOCUMENTS'
  | 'UNKNOWN_KEY'
  | 'MISPLACED_KEY'
  | 'NOT_ONE_STEP_KIND'
  | 'NOT_ONE_SCHEDULE'
  | 'MISSING_KEY'
  | 'WRONG_TYPE'
  | 'WRONG_VALUE'
  | 'INVALID_SCHEMA'
  | 'INTEGER_TOO_LARGE'
  | 'INVALID_DURATION'
  | 'INVALID_ID'
  | 'DUPLICATE_ID'
  | 'UNKNOWN_ACTION'
  | 'UNKNOWN_ARGUMENT'
  | 'MISSING_ARGUMENT'
  | 'WRONG_ARGUMENT'
  | 'MISSING_SAVE_AS'
  | 'UNSUPPORTED_TOLERATE'
  | 'EXPRESSION_SYNTAX'
  | 'EXPRESSION_NOT_CLOSED'
  | 'NOT_ONE_EXPRESSION'
  | 'UNSUPPORTED_EXPRESSION'
  | 'UNKNOWN_NAME'
  | 'UNKNOWN_STEP'
  | 'UNKNOWN_INPUT'
  | 'UNKNOWN_FUNCTION'
  | 'UNKNOWN_FIELD'
  | 'UNKNOWN_SECRET'
  | 'UNKNOWN_ERROR_CODE'
  | 'UNKNOWN_TIMEZONE'
  | 'UNKNOWN_TOOL'
  | 'UNLISTED_VALUE'
  | 'DEPRECATED_ARGUMENT'
  | 'MISSING_GUARD'
  | 'WRONG_KIND'
  | 'NEVER_EQUAL'
  | 'EXPRESSION_NOT_ALLOWED'
  | 'EXPRESSION_NOT_EVALUATED'
  | 'MISPLACED_SECRET'
  | 'LITERAL_SECRET'

/** One sentence for each code: what it means, whatever the place. */
export const diagnosticRules: Readonly<Record<DiagnosticCode, string>> = {
  FILE_TOO_LARGE: 'A runbook is at most 256 KB.',
  NOT_TEXT: 'The file is not UTF-8 text.',
  EMPTY_FILE: 'The file holds no runbook.',
  YAML_SYNTAX: 'The file is not valid YAML.',
  YAML_FEATURE: 'YAML has this, runbooks do not: tags, merge keys and too many aliases.',
  DUPLICATE_KEY: 'A map names a key twice.',
  SEVERAL_DOCUMENTS: 'A file holds one runbook.',
  UNKNOWN_KEY: 'The language has no such key at this place.',
  MISPLACED_KEY: 'The key belongs to another kind of step or trigger.',
  NOT_ONE_STEP_KIND: 'A step has exactly one of `uses`, `steps`, `parallel`.',
  NOT_ONE_SCHEDULE: 'A schedule has exactly one of `cron` and `every`.',
  MISSING_KEY: 'A required key is missing.',
  WRONG_TYPE: 'The value is of another kind than the key needs.',
  WRONG_VALUE: 'The value is of the right kind and still not allowed.',
  INVALID_SCHEMA: '`inputs` is not a JSON Schema of an object.',
  INTEGER_TOO_LARGE: 'Integers beyond 2^53 cannot be held exactly.',
  INVALID_DURATION: 'A duration is a number with one of the units ms, s, m, h, d.',
  INVALID_ID: 'An id is a lower-case letter followed by lower-case letters, digits and underscores.',
  DUPLICATE_ID: 'Ids are unique in a runbook.',
  UNKNOWN_ACTION: 'There is no such action.',
  UNKNOWN_ARGUMENT: 'The action has no such argument.',
  MISSING_ARGUMENT: 'The action needs an argument that is not given.',
  WRONG_ARGUMENT: 'The argument does not fit the action.',
  MISSING_SAVE_AS: 'The action writes a file and needs `save-as`.',
  UNSUPPORTED_TOLERATE: 'The action has no items that could fail one by one.',
  EXPRESSION_SYNTAX: 'The expression cannot be read.',
  EXPRESSION_NOT_CLOSED: 'An expression begins with `${{` and does not end.',
  NOT_ONE_EXPRESSION: 'The key takes exactly one whole expression.',
  UNSUPPORTED_EXPRESSION: 'CEL has this, runbooks do not: JSON has no such value.',
  UNKNOWN_NAME: 'There is no such name at this place.',
  UNKNOWN_STEP: 'No step before this one has this id.',
  UNKNOWN_INPUT: 'The runbook declares no such input.',
  UNKNOWN_FUNCTION: 'Expressions have no such function.',
  UNKNOWN_FIELD: 'The value has no such field.',
  UNKNOWN_SECRET: 'The runbook declares no secret of this name.',
  UNKNOWN_ERROR_CODE: 'No known error has this code.',
  UNKNOWN_TIMEZONE: 'There is no time zone of this name.',
  UNKNOWN_TOOL: 'The name is close to the one of a known diagnostic tool.',
  UNLISTED_VALUE: 'The service’s document does not list this value; newer services may take it.',
  DEPRECATED_ARGUMENT: 'The argument is deprecated.',
  MISSING_GUARD: 'The value may not be there, and nothing makes sure that it is.',
  WRONG_KIND: 'The value is of another kind than the expression or the key needs.',
  NEVER_EQUAL: 'The two sides can never be equal.',
  EXPRESSION_NOT_ALLOWED: 'The key is fixed when the runbook is loaded and takes no expression.',
  EXPRESSION_NOT_EVALUATED: 'The key is for people and never evaluated.',
  MISPLACED_SECRET: 'A secret stands where the action does not mark the argument as sensitive.',
  LITERAL_SECRET: 'A sensitive argument is written into the runbook instead of taken from `secrets`.',
}

/** One finding. `code` and `range` are the contract; the message is for people. */
export interface Diagnostic {
  readonly code: DiagnosticCode
  readonly severity: 'error' | 'warning'
  readonly message: string
  /** What to write instead. */
  readonly hint?: string
  /** Where in the document, such as `steps[2].with.tools`. */
  readonly path: string
  readonly range: Range
}
