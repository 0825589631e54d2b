import type { ErrorObject } from 'ajv'
import { formatPath, isJsonObject, type JsonPath, type JsonSchema } from '../core/json.ts'
import { type SchemaWords, wordsOfYaml } from '../core/text/index.ts'
import type { SubjectWords } from './schema-problems.ts'

/** How messages name a file and the keys at its top. */
export interface FileWords {
  readonly whole: string
  missing(key: string): string
  unknown(key: string): string
}

/** The words for what a person writes in YAML: keys in quotes, places in the file, and what to write instead. */
export function wordsOfYamlFile(
  { whole, missing, unknown }: FileWords,
  words: SchemaWords = wordsOfYaml,
): SubjectWords {
  const nameOf = (path: JsonPath): string => {
    const last = path.at(-1)
    if (last === undefined) return whole
    return typeof last === 'number' ? formatPath(path) : `"${last}"`
  }
  return {
    ...words,
    nameOf,
    missing: (key, holder) =>
      holder.length === 0 ? missing(key) : `${nameOf(holder)} needs the key "${key}"`,
    unknown: (key, holder) =>
      holder.length === 0 ? unknown(key) : `there is no key "${key}" in ${formatPath(holder)}`,
    typeHint,
  }
}

/** Keys that are true or false when the runbook is loaded, and never an expression. */
const isWrittenOut = (pointer: string): boolean => /\/(continue-on-error|not-starter)$/.test(pointer)

const yesWords: ReadonlySet<string> = new Set(['yes', 'on', 'true'])
const noWords: ReadonlySet<string> = new Set(['no', 'off', 'false'])

function typeHint(error: ErrorObject): ReturnType<NonNullable<SubjectWords['typeHint']>> {
  const { data, params } = error
  const needed = params['type']
  const isScalar = ['number', 'boolean'].includes(typeof data)
  if (isDuration(error)) return typeof data === 'number' ? { hint: `with its unit, such as ${data}s` } : {}
  if (needed === 'string' && isScalar && fitsInQuotes(error))
    return { wantsText: true, hint: `quote it: "${String(data)}"` }
  if (needed === 'array') return listHint(data)
  if (needed === 'boolean' && typeof data === 'string') {
    const word = data.trim().toLowerCase()
    if (yesWords.has(word)) return { hint: 'write true' }
    if (noWords.has(word)) return { hint: 'write false' }
    // A word is none: it names nothing that an expression could read.
    if (/^\w*$/.test(word) || isWrittenOut(error.instancePath)) return {}
    return { hint: `write one whole expression: \${{ ${data.trim()} }}` }
  }
  return {}
}

function isDuration({ parentSchema }: ErrorObject): boolean {
  return (parentSchema as JsonSchema | undefined)?.['format'] === 'duration'
}

/** What is written in place of a list, as one. */
function listHint(data: unknown): { hint?: string } {
  if (isJsonObject(data)) return { hint: 'each item of a list begins with "- "' }
  return typeof data === 'string' && /^[\w./-]+$/.test(data) ? { hint: `as a list: [${data}]` } : {}
}

/** Whether a number or a word in quotes would fit. */
function fitsInQuotes({ parentSchema, data }: ErrorObject): boolean {
  const pattern = (parentSchema as JsonSchema | undefined)?.['pattern']
  return typeof pattern !== 'string' || new RegExp(pattern, 'u').test(String(data))
}
