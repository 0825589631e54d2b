import { isJsonObject, type JsonPath, type JsonSchema } from '../../core/json.ts'
import { answerFormats, answerKeywords } from '../../core/people/index.ts'
import { nearest, suggest } from '../../core/text/index.ts'
import { expressionPaths } from '../expressions/segments.ts'
import { checkKeyword, type KeywordProblem } from '../inputs/check-keyword.ts'
import { whyImpossible } from '../inputs/check-possible.ts'
import { vocabulary } from '../inputs/vocabulary.ts'
import type { FindingPlace, Source } from '../source.ts'

/** Whether `answer` is the schema of a form: an object with fields that a person can fill in. What is wrong becomes findings. */
export function checkAnswerSchema(source: Source, schema: JsonSchema, path: JsonPath): boolean {
  let isSound = true
  const report: Report = (at, { code, message, hint }) => {
    isSound = false
    source.add(code, at, message, hint)
  }
  if (refuseExpressions(source, schema, path)) return false
  walk(schema, path, schema, report)
  const { type, properties } = schema
  if (isSound && (type !== 'object' || !isJsonObject(properties) || Object.keys(properties).length === 0)) {
    const message = 'the answer is an object with at least one field'
    report(path, {
      code: 'INVALID_SCHEMA',
      message,
      hint: 'such as type: object and properties: { host: { type: string } }',
    })
  }
  return isSound
}

/** Whether there are expressions, which have become findings. */
export function refuseExpressions(source: Source, value: unknown, path: JsonPath): boolean {
  const places = expressionPaths(value, path)
  for (const at of places) {
    const message = 'the schema of the answer is its type in later steps, so it takes no expression'
    const hint = 'compute values under choices'
    source.add('EXPRESSION_NOT_ALLOWED', at, message, hint)
  }
  return places.length > 0
}

type Problem = Omit<KeywordProblem, 'code'> & {
  readonly code: KeywordProblem['code'] | 'SECRET_ANSWER'
}
type Report = (at: FindingPlace, problem: Problem) => void

function walk(schema: unknown, path: JsonPath, root: JsonSchema, report: Report): void {
  if (!isJsonObject(schema)) {
    if (typeof schema === 'boolean' && path.at(-1) === 'additionalProperties') return
    report(path, { code: 'INVALID_SCHEMA', message: 'a schema is a map', hint: 'such as { type: string }' })
    return
  }
  const impossible = whyImpossible(schema)
  if (impossible) report([...path, impossible.keyword], impossible.problem)
  for (const [keyword, value] of Object.entries(schema)) {
    const at = [...path, keyword]
    const takes = vocabulary.get(keyword)
    if (takes === undefined || !(answerKeywords as readonly string[]).includes(keyword)) {
      report({ key: at }, unknownKeyword(keyword))
      continue
    }
    const problem = keyword === 'format' ? checkFormat(value) : checkKeyword(keyword, takes, value, root)
    if (problem) report(at, problem)
    else if (keyword === 'items' || keyword === 'additionalProperties') walk(value, at, root, report)
    else if (keyword === 'properties') walkFields(value as JsonSchema, at, root, report)
  }
}

const secretName = /pass(?:word|phrase|wd)|secret|token|credential|(?:api|private|access)[_-]?key/i

function walkFields(fields: JsonSchema, path: JsonPath, root: JsonSchema, report: Report): void {
  for (const [name, schema] of Object.entries(fields)) {
    const at = [...path, name]
    if (secretName.test(name)) report({ key: at }, secretAnswer(`"${name}" sounds like a secret`))
    walk(schema, at, root, report)
  }
}

function secretAnswer(what: string): Problem {
  return {
    code: 'SECRET_ANSWER',
    message: `${what}, and answers are recorded`,
    hint: 'name it under secrets, or choose another name',
  }
}

function checkFormat(value: unknown): Problem | undefined {
  const known = Object.keys(answerFormats)
  if (value === 'password') return secretAnswer('"password" asks for a secret')
  if (typeof value !== 'string') return { code: 'INVALID_SCHEMA', message: '"format" must be a text' }
  if (known.includes(value)) return undefined
  return {
    code: 'UNSUPPORTED_SCHEMA',
    message: `the fields of an answer have no format "${value}"`,
    hint: suggest(value, known),
  }
}

function unknownKeyword(keyword: string): Problem {
  if (vocabulary.has(keyword))
    return {
      code: 'UNSUPPORTED_SCHEMA',
      message: `the schemas of answers have no "${keyword}"`,
      hint: 'people fill in a form: fields with a type each',
    }
  const near = nearest(keyword, answerKeywords)
  const fields = `the fields of the answer belong under properties: { ${keyword}: { type: string } }`
  return {
    code: 'INVALID_SCHEMA',
    message: `JSON Schema has no keyword "${keyword}"`,
    hint: near === undefined ? fields : `did you mean "${near}"? If it is a field: ${fields}`,
  }
}
