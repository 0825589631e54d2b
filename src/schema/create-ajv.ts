import { Ajv, type Options } from 'ajv'
import { formats } from './formats.ts'

/** What our schemas say for people alone. */
const annotations = ['knownValues', 'knownMaxLength', 'enumDescriptions', 'suggestions', 'example']

/** Makes an Ajv that finds every error with what messages say of it, and knows the formats of runbooks. */
export function createAjv(options: Options = {}): Ajv {
  const ajv = new Ajv({ allErrors: true, verbose: true, allowUnionTypes: true, logger: false, ...options })
  for (const [name, format] of Object.entries(formats)) ajv.addFormat(name, format)
  return ajv.addVocabulary(annotations)
}
