import type { Format } from 'ajv'
import { fullFormats } from 'ajv-formats/dist/formats.js'
import { parseDuration } from '../core/times/index.ts'

/** The forms of a text that JSON Schema has a name for and every schema of a project can use. */
const standardFormats = [
  'date',
  'time',
  'date-time',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'uri',
  'uuid',
  'regex',
  'password',
] as const

/** The forms of a text that schemas can name, as Ajv takes them. */
export const formats: Readonly<Record<string, Format>> = {
  ...Object.fromEntries(standardFormats.map((name) => [name, fullFormats[name]])),
  duration: (text: string) => parseDuration(text) !== undefined,
}

/** All of them, `duration` in the way of runbooks included. */
export const schemaFormats: readonly string[] = [...standardFormats, 'duration']
