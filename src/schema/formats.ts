import type { Format } from 'ajv'
import { fullFormats } from 'ajv-formats/dist/formats.js'
import { parseDuration } from '../core/duration.ts'
import { standardFormats } from '../core/schema-formats.ts'

/** The forms of a text that schemas can name, as Ajv takes them. */
export const formats: Readonly<Record<string, Format>> = {
  ...Object.fromEntries(standardFormats.map((name) => [name, fullFormats[name]])),
  duration: (text: string) => parseDuration(text) !== undefined,
}
