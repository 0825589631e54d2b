import { type JsonValue, mapJson } from '../../core/json.ts'
import { createMask, type Mask, secretMark } from '../../core/mask/index.ts'
import type { Client } from '../client/client.ts'
import { childPath } from '../validation/field-path.ts'

/** Takes secrets out of what others wrote: answers, errors of the network, headers. */
export interface Scrubber {
  /** One line of bounded length, without control characters and without the secrets. */
  text(text: string): string
  /** The same for every text inside a value, which may be four times as long. */
  json(value: JsonValue): JsonValue
  /** A scrubber that knows more secrets. */
  with(secrets: readonly string[]): Scrubber
}

const maxLength = 2000
const maxLengthInValue = 8000

/** Hides these secrets, and what they begin with. */
export function createScrubber(secrets: readonly string[]): Scrubber {
  return scrubberOf([createMask(secrets, secretMark)])
}

function scrubberOf(masks: readonly Mask[]): Scrubber {
  const clean = (dirty: string, most: number): string => {
    const line = masks
      .reduce((rest, mask) => mask.inErrors.text(rest), dirty)
      .replace(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]+/gu, ' ')
    return line.length > most ? `${line.slice(0, most)}…` : line
  }
  const text = (dirty: string): string => clean(dirty, maxLength)
  const json = (value: JsonValue): JsonValue =>
    mapJson(value, (leaf) => (typeof leaf === 'string' ? clean(leaf, maxLengthInValue) : leaf), text)
  return { text, json, with: (more) => scrubberOf([...masks, createMask(more, secretMark)]) }
}

const known = new WeakMap<Client, readonly string[]>()

/** Keeps what a client signs its requests with, for those who have to hide it. */
export function keepSecretsOf(client: Client, secrets: readonly string[]): Client {
  known.set(client, secrets)
  return client
}

/** What a client signs its requests with: its app key. */
export function secretsOf(client: Client): readonly string[] {
  return known.get(client) ?? []
}

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
    const masked = mask.value(value, {
      onMasked: (path) => paths.push(path.reduce<string>(childPath, 'data')),
    })
    return { value: masked, paths }
  }
}
