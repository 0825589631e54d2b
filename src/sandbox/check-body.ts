import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import { type OperationId, routes } from './body-schemas.ts'
import { isObject, type Json, type JsonObject } from './json.ts'
import { type Refused, refuseCall, refuseField } from './outcome.ts'

// Verbose: an error of a keyword of our own holds the values it allows.
const ajv = new Ajv({ allowUnionTypes: true, verbose: true })
// Where newer services accept more than the document lists, this one does not.
ajv.addKeyword({
  keyword: 'knownValues',
  type: 'string',
  schemaType: 'array',
  validate: (known: readonly string[], value: string) => known.includes(value),
})
ajv.addKeyword({
  keyword: 'knownMaxLength',
  type: 'string',
  schemaType: 'number',
  validate: (limit: number, value: string) => [...value].length <= limit,
})
// What the values mean, and which are likely, is for people.
ajv.addKeyword('enumDescriptions')
ajv.addKeyword('suggestions')

const compiled = new Map<OperationId, ValidateFunction>()

/** Checks a body against the schema of its operation; the refusal names the first field that is wrong. */
export function checkBody(id: OperationId, body: Json | undefined): Refused | undefined {
  if (!isObject(body)) {
    return refuseCall('InvalidParameter', {
      en: 'The body must be a JSON object.',
      zh: '请求体必须是 JSON 对象。',
    })
  }
  const validate = compiled.get(id) ?? compile(id)
  if (validate(body)) return undefined
  const [error] = validate.errors ?? []
  return error === undefined ? refuseCall('InvalidParameter') : describe(error, id)
}

function compile(id: OperationId): ValidateFunction {
  const route = routes.find((item) => item.id === id)
  const validate = ajv.compile(openObjects(route?.schema ?? {}) as JsonObject)
  compiled.set(id, validate)
  return validate
}

/** Unknown fields are not refused: a header names them. */
function openObjects(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(openObjects)
  if (!isObject(schema)) return schema
  const entries = Object.entries(schema).filter(
    ([keyword, value]) => !(keyword === 'additionalProperties' && value === false),
  )
  return Object.fromEntries(entries.map(([keyword, value]) => [keyword, openObjects(value)]))
}

/** Rules of the document that clients are known to break. The refusal says them. */
const documentRules: Readonly<Record<string, readonly [en: string, zh: string]>> = {
  'E4 params': [
    'the document (E4) asks for {} where a tool takes no parameters',
    '文档（E4）要求：没有参数的工具须显式传 {}',
  ],
  'E2 type': ['the document (E2) lists no other type', '文档（E2）未列出其他类型'],
}

function describe(error: ErrorObject, id: OperationId): Refused {
  const field = fieldName(error)
  const [en, zh] = explain(error)
  const rule = documentRules[`${id} ${field.split('.').at(-1)}`]
  return rule ? refuseField(field, `${en}; ${rule[0]}`, `${zh}；${rule[1]}`) : refuseField(field, en, zh)
}

function fieldName(error: ErrorObject): string {
  const missing: unknown = error.keyword === 'required' ? error.params['missingProperty'] : undefined
  const parts = error.instancePath.split('/').slice(1)
  if (typeof missing === 'string') parts.push(missing)
  return parts
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : path ? `${path}.${part}` : part), '')
}

const typeNames: Readonly<Record<string, string>> = {
  string: '字符串',
  integer: '整数',
  boolean: '布尔值',
  object: '对象',
  array: '数组',
}

function explain({ keyword, params, schema }: ErrorObject): readonly [en: string, zh: string] {
  const limit = String(params['limit'])
  switch (keyword) {
    case 'required':
      return ['is required', '缺少必填参数']
    case 'type':
      return [`must be of type ${params['type']}`, `类型必须是${typeNames[String(params['type'])]}`]
    case 'minLength':
      return ['must not be empty', '不能为空']
    case 'maxLength':
      return [`must have at most ${limit} characters`, `最多 ${limit} 个字符`]
    case 'knownMaxLength':
      return [`must have at most ${schema} characters`, `最多 ${schema} 个字符`]
    case 'minItems':
      return [`must have at least ${limit} entry`, `至少 ${limit} 项`]
    case 'maxItems':
      return [`must have at most ${limit} entries`, `最多 ${limit} 项`]
    case 'minimum':
      return [`must be at least ${limit}`, `不能小于 ${limit}`]
    case 'maximum':
      return [`must be at most ${limit}`, `不能大于 ${limit}`]
    case 'pattern':
      return [`must match ${params['pattern']}`, `格式必须匹配 ${params['pattern']}`]
    case 'enum':
      return oneOf(params['allowedValues'])
    case 'knownValues':
      return oneOf(schema)
    default:
      return ['is not valid', '无效']
  }
}

function oneOf(values: unknown): readonly [en: string, zh: string] {
  const list = Array.isArray(values) ? values.map((value) => JSON.stringify(value)).join(', ') : ''
  return [`must be one of ${list}`, `必须是以下值之一：${list}`]
}

/** Fields that the schema does not name, as JSON pointers. Where the schema leaves an object open, all are known. */
export function findUnknownFields(schema: Json | undefined, value: Json, path = ''): readonly string[] {
  if (!isObject(schema)) return []
  if (Array.isArray(value))
    return value.flatMap((item, index) => findUnknownFields(schema['items'], item, `${path}/${index}`))
  if (!isObject(value) || !isObject(schema['properties'])) return []
  const known: JsonObject = schema['properties']
  return Object.entries(value).flatMap(([name, field]) => {
    const pointer = `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
    if (Object.hasOwn(known, name)) return findUnknownFields(known[name], field, pointer)
    return schema['additionalProperties'] === false ? [pointer] : []
  })
}

/** As the value of a header: comma separated, anything but plain ASCII percent-encoded, cut off at a sane length. */
export function formatUnknownFields(fields: readonly string[]): string {
  const shown = fields
    .slice(0, 50)
    .map((field) => field.slice(0, 200).replace(/[^\x21-\x7e]|[,%]/gu, encodeCharacter))
  const left = fields.length - shown.length
  return shown.join(',') + (left > 0 ? `,+${left}` : '')
}

function encodeCharacter(character: string): string {
  // Half of a surrogate pair cannot be encoded; it is named by the replacement character.
  return encodeURIComponent(/^[\ud800-\udfff]$/.test(character) ? '\ufffd' : character)
}
