import { text as streamText } from 'node:stream/consumers'
import { isJsonObject, type JsonObject, type JsonSchema, type JsonValue } from '../../core/json.ts'
import { withoutMark } from '../../core/text/index.ts'
import {
  type ParsedValue,
  parseValue,
  readInputText,
  spellingFor,
  takesOnlyText,
} from '../../load/yaml/index.ts'
import { CommandError } from '../../project/index.ts'
import { invalidJsonAt } from './invalid-json-at.ts'
import type { Io } from './io.ts'
import { readGivenFile } from './read-given-file.ts'

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
  if (at < 1 || name === '')
    throw mistake(`${flag} takes name=value`, [`such as ${flag} host=web-01, or ${flag} "tools=[a, b]"`])
  const text = given.slice(at + 1)
  const property = propertyOf(schema, name)
  if (takesOnlyText(property)) return [name, readInputText(text)]
  const parsed = parseValue(text, spellingFor(property))
  if ('problem' in parsed) {
    throw mistake(`the value of the ${noun} "${name}" cannot be read: ${parsed.problem}`, [
      `it is read as YAML; text that looks like YAML needs quotes: ${flag} '${name}="…"'`,
    ])
  }
  return [name, parsed.value]
}

function propertyOf(schema: JsonSchema | undefined, name: string): JsonSchema {
  const properties = schema?.['properties']
  const property = isJsonObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined
  return isJsonObject(property) ? property : {}
}

async function readInputsFile(file: string, io: Io, { noun, fileFlag }: InputWords): Promise<JsonObject> {
  const text =
    file === '-' ? await streamText(io.stdin) : await readGivenFile(file, io, `the ${noun}s file ${file}`)
  const place = file === '-' ? 'stdin' : file
  const parsed = parseFile(place, withoutMark(text))
  if (text.includes('\0') || text.includes('\ufffd')) {
    throw mistake(`the ${noun}s file ${place} is not a text file in UTF-8`, [
      `${fileFlag} takes YAML or JSON`,
    ])
  }
  if ('problem' in parsed) {
    const { line, column, problem, hint = `${fileFlag} takes YAML or JSON` } = parsed
    throw mistake(`${place}:${line}:${column}: ${problem}`, [hint])
  }
  if (parsed.value === null) return {}
  if (!isJsonObject(parsed.value))
    throw mistake(`${place} must hold a map of ${noun}s`, [`one line for each ${noun}: "name: value"`])
  return parsed.value
}

function mistake(message: string, hints: readonly string[]): CommandError {
  return new CommandError('usage', message, { hints })
}

/** In a file that calls itself JSON, YAML is a mistake. Programs write JSON, and mean its numbers. */
function parseFile(place: string, text: string): ParsedValue {
  try {
    JSON.parse(text)
  } catch {
    if (!/\.json$/i.test(place)) return parseValue(text)
    const before = text.slice(0, invalidJsonAt(text)).split('\n')
    return {
      problem: 'the file is not valid JSON: this cannot stand here',
      hint: 'correct it; or name the file .yaml, if it holds YAML',
      line: before.length,
      column: (before.at(-1)?.length ?? 0) + 1,
    }
  }
  return parseValue(text, 'any')
}
