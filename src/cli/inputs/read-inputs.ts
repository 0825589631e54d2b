import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { text as streamText } from 'node:stream/consumers'
import { isJsonObject, type JsonObject, type JsonSchema, type JsonValue } from '../../core/json.ts'
import { CommandError } from '../command-error.ts'
import { exitCodes } from '../exit-codes.ts'
import type { Io } from '../io.ts'
import { parseValue } from './parse-value.ts'

/** Where inputs come from: the flags of `run` and `call`. */
export interface InputSources {
  readonly input?: readonly string[]
  readonly inputsFile?: string
}

/** The inputs of the file with those of the flags over them. The schema is that of all of them. */
export async function readInputs(
  sources: InputSources,
  schema: JsonSchema | undefined,
  io: Io,
): Promise<JsonObject> {
  const fromFlags = readFlags(sources.input ?? [], schema)
  return sources.inputsFile === undefined
    ? fromFlags
    : { ...(await readInputsFile(sources.inputsFile, io)), ...fromFlags }
}

function readFlags(flags: readonly string[], schema: JsonSchema | undefined): JsonObject {
  const inputs = new Map<string, JsonValue>()
  for (const flag of flags) {
    const [name, value] = readFlag(flag, schema)
    if (inputs.has(name)) {
      throw mistake(`the input "${name}" is given twice`, [
        'give each input once; a list is written name=[a, b]',
      ])
    }
    inputs.set(name, value)
  }
  return Object.fromEntries(inputs)
}

function readFlag(flag: string, schema: JsonSchema | undefined): readonly [string, JsonValue] {
  const at = flag.indexOf('=')
  const name = flag.slice(0, at).trim()
  if (at < 1 || name === '') {
    throw mistake('--input takes name=value', ['such as --input host=web-01, or --input "tools=[a, b]"'])
  }
  const text = flag.slice(at + 1)
  if (wantsText(schema, name)) return [name, readText(text)]
  const parsed = parseValue(text)
  if ('problem' in parsed) {
    throw mistake(`the value of the input "${name}" cannot be read: ${parsed.problem}`, [
      `it is read as YAML; text that looks like YAML needs quotes: --input '${name}="…"'`,
    ])
  }
  return [name, parsed.value]
}

/** Whether an input can be nothing but a text. */
function wantsText(schema: JsonSchema | undefined, name: string): boolean {
  const properties = schema?.['properties']
  const property = isJsonObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined
  return isJsonObject(property) && property['type'] === 'string'
}

/** The text as it stands: `0001` is no number here. Whoever quotes it has written YAML, and means what is inside. */
function readText(text: string): string {
  if (!/^\s*(["']).*\1\s*$/s.test(text)) return text
  const parsed = parseValue(text)
  return 'value' in parsed && typeof parsed.value === 'string' ? parsed.value : text
}

async function readInputsFile(file: string, io: Io): Promise<JsonObject> {
  const text =
    file === '-' ? await streamText(io.stdin) : await readNamed(resolve(io.workingDirectory, file), file)
  const place = file === '-' ? 'stdin' : file
  const parsed = parseValue(text)
  if ('problem' in parsed) {
    throw mistake(`${place}:${parsed.line}:${parsed.column}: ${parsed.problem}`, [
      '--inputs-file takes YAML or JSON',
    ])
  }
  if (parsed.value === null) return {}
  if (!isJsonObject(parsed.value)) {
    throw mistake(`${place} must hold a map of inputs`, ['one line for each input: "name: value"'])
  }
  return parsed.value
}

async function readNamed(path: string, file: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const reason =
      code === 'ENOENT' ? 'there is no such file' : code === 'EISDIR' ? 'it is a folder' : String(code)
    throw mistake(`the inputs file ${file} cannot be read: ${reason}`, [])
  }
}

function mistake(message: string, hints: readonly string[]): CommandError {
  return new CommandError(exitCodes.usage, message, { hints })
}
