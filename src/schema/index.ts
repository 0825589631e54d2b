/** JSON Schema for every module: the one maker of validators, and the one renderer of what they find. */

export { createAjv } from './create-ajv.ts'
export { schemaFormats } from './formats.ts'
export { type SchemaProblem, type SubjectWords, schemaProblems } from './schema-problems.ts'
export { wordsOfYamlFile } from './words-of-yaml-file.ts'
