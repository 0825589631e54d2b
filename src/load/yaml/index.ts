/** Reads any YAML file against a schema, with positions. It knows nothing of runbooks, and loads no expressions. */

export { compileOwn } from '../ajv.ts'
export { schemaFindings } from '../schema-problems.ts'
export { findingPlace, readSource, type Source } from '../source.ts'
export { inOrder } from './findings.ts'
export {
  type ParsedValue,
  parseValue,
  readField,
  readInputText,
  spellingFor,
  takesOnlyText,
} from './parse-value.ts'
