import type { JsonValue } from '../core/json.ts'
import { createMask, secretMark } from '../core/mask/mask.ts'
import { childPath } from './field-path.ts'

/** A value without the key, and where it held it. */
export interface Masked {
  readonly value: JsonValue
  readonly paths: readonly string[]
}

/** Takes the key out of the data of an answer. `text` is what the data was parsed from. */
export type KeyMask = (value: JsonValue, text: string) => Masked

/** Shorter keys are in every second answer, whose results would be changed for nothing. */
export const shortestKey = 4

/** A mask for the key of one client. */
export function createKeyMask(key: string): KeyMask {
  const mask = createMask(key.length < shortestKey ? [] : [key], secretMark)
  return (value, text) => {
    // Nearly every answer is done with this.
    if (!mask.isInJson(text)) return { value, paths: [] }
    const paths: string[] = []
    const masked = mask.value(value, (path) => paths.push(path.reduce<string>(childPath, 'data')))
    return { value: masked, paths }
  }
}
