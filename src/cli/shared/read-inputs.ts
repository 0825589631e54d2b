import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { text as streamText } from 'node:stream/consumers'
import { type Document, isScalar, parseDocument, visit } from 'yaml'
import { isJsonObject, type JsonObject, type JsonSchema, type JsonValue } from '../../core/json.ts'
import { CommandError } from './command-error.ts'
import { exitCodes } from './exit-codes.ts'
import type { Io } from './io.ts'
import { refuseSpecial } from './special-file.ts'

/** The sources of inputs: the flags of `run` and `call`. */
export interface InputSources {
  readonly input?: readonly string[]
  readonly inputsFile?: string
}

/** How messages name the flags. */
export interface InputWords {
  readonly noun: string
  readonly flag: string
  readonly fileFlag: string
}

const ofInputs: InputWords = { noun: 'input', flag: '--input', fileFlag: '--inputs-file' }

/** Reads the inputs of the file and of the flags, which take precedence. `schema`: that of all inputs. */
export async function readInputs(
  sources: InputSources,
  schema: JsonSchema | undefined,
  io: Io,
  words: InputWords = ofInputs,
): Promise<JsonObject> {
  const fromFlags = readFlags(sources.input ?? [], schema, words)
  return sources.inputsFile === undefined
    ? fromFlags
    : { ...(await readInputsFile(sources.inputsFile, io, words)), ...fromFlags }
}

function readFlags(flags: readonly string[], schema: JsonSchema | undefined, words: InputWords): JsonObject {
  const inputs = new Map<string, JsonValue>()
  for (const flag of flags) {
    const [name, value] = readFlag(flag, schema, words)
    if (inputs.has(name)) {
      throw mistake(`the ${words.noun} "${name}" is given twice`, [
        `give each ${words.noun} once; a list is written name=[a, b]`,
      ])
    }
    inputs.set(name, value)
  }
  return Object.fromEntries(inputs)
}

function readFlag(
  given: string,
  schema: JsonSchema | undefined,
  { noun, flag }: InputWords,
): readonly [string, JsonValue] {
  const at = given.indexOf('=')
  const name = given.slice(0, at).trim()
  if (at < 1 || name === '') {
    throw mistake(`${flag} takes name=value`, [`such as ${flag} host=web-01, or ${flag} "tools=[a, b]"`])
  }
  const text = given.slice(at + 1)
  if (wantsText(schema, name)) return [name, readText(text)]
  const parsed = parseValue(text)
  if ('problem' in parsed) {
    throw mistake(`the value of the ${noun} "${name}" cannot be read: ${parsed.problem}`, [
      `it is read as YAML; text that looks like YAML needs quotes: ${flag} '${name}="…"'`,
    ])
  }
  return [name, parsed.value]
}

/** Whether an input can only be a text. */
function wantsText(schema: JsonSchema | undefined, name: string): boolean {
  const properties = schema?.['properties']
  const property = isJsonObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined
  return isJsonObject(property) && property['type'] === 'string'
}

/** The text without changes: `0001` is no number here. A quoted text is read as YAML. */
export function readText(text: string): string {
  if (!/^\s*(["']).*\1\s*$/s.test(text)) return text
  const parsed = parseValue(text)
  return 'value' in parsed && typeof parsed.value === 'string' ? parsed.value : text
}

async function readInputsFile(file: string, io: Io, { noun, fileFlag }: InputWords): Promise<JsonObject> {
  const text =
    file === '-'
      ? await streamText(io.stdin)
      : await readNamed(resolve(io.workingDirectory, file), file, noun)
  const place = file === '-' ? 'stdin' : file
  const parsed = parseValue(text)
  if (text.includes('\0') || text.includes('\ufffd')) {
    throw mistake(`the ${noun}s file ${place} is not a text file in UTF-8`, [
      `${fileFlag} takes YAML or JSON`,
    ])
  }
  if ('problem' in parsed) {
    throw mistake(`${place}:${parsed.line}:${parsed.column}: ${parsed.problem}`, [
      `${fileFlag} takes YAML or JSON`,
    ])
  }
  if (parsed.value === null) return {}
  if (!isJsonObject(parsed.value)) {
    throw mistake(`${place} must hold a map of ${noun}s`, [`one line for each ${noun}: "name: value"`])
  }
  return parsed.value
}

async function readNamed(path: string, file: string, noun: string): Promise<string> {
  try {
    refuseSpecial(path)
    return await readFile(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const reason =
      code === 'ENOENT' ? 'there is no such file' : code === 'EISDIR' ? 'it is a folder' : String(code)
    throw mistake(`the ${noun}s file ${file} cannot be read: ${reason}`, [])
  }
}

function mistake(message: string, hints: readonly string[]): CommandError {
  return new CommandError(exitCodes.usage, message, { hints })
}

/** A value, or why it cannot be read. */
export type ParsedValue =
  | { readonly value: JsonValue }
  | { readonly problem: string; readonly line: number; readonly column: number }

/** Reads one value as YAML 1.2, which includes JSON. Numbers are never rounded. */
export function parseValue(text: string): ParsedValue {
  const document = parseDocument(text, {
    version: '1.2',
    schema: 'core',
    intAsBigInt: true,
    resolveKnownTags: false,
    prettyErrors: false,
  })
  const [error] = [...document.errors, ...document.warnings]
  if (error) return problemAt(text, error.pos[0], error.message.replace(/[.:]$/, ''))
  const problem = checkNumbers(document, text)
  if (problem) return problem
  try {
    return { value: document.toJS({ maxAliasCount: 50 }) as JsonValue }
  } catch (thrown) {
    return problemAt(text, 0, (thrown as Error).message)
  }
}

/** Turns big integers into numbers; reports those that would be rounded. */
function checkNumbers(document: Document.Parsed, text: string): ParsedValue | undefined {
  let problem: ParsedValue | undefined
  visit(document, {
    Scalar(_, node) {
      const at = node.range?.[0] ?? 0
      if (typeof node.value === 'bigint') {
        if (node.value > Number.MAX_SAFE_INTEGER || node.value < Number.MIN_SAFE_INTEGER) {
          problem ??= problemAt(text, at, `${node.value} is beyond 2^53 and cannot be held exactly; quote it`)
        }
        node.value = Number(node.value)
      } else if (typeof node.value === 'number' && !Number.isFinite(node.value)) {
        problem ??= problemAt(text, at, `${node.source ?? node.value} is not a JSON number; quote it`)
      }
    },
    Pair(_, pair) {
      // A key such as {a: b}: c would silently become a text.
      if (!isScalar(pair.key)) problem ??= problemAt(text, 0, 'a key must be plain text')
    },
  })
  return problem
}

function problemAt(text: string, offset: number, problem: string): ParsedValue {
  const before = text.slice(0, offset).split('\n')
  return { problem, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}
