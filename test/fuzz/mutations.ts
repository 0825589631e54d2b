import { readFileSync } from 'node:fs'
import { parse, stringify } from 'yaml'
import { expressionFunctions } from '../../src/core/expressions/functions.ts'
import type { Random } from './random.ts'

/** What is put into runbooks. */
interface Mutations {
  readonly pieces: readonly string[]
  readonly values: readonly unknown[]
  readonly keys: readonly string[]
}

const data = parse(readFileSync(new URL('mutations.yaml', import.meta.url), 'utf8')) as Mutations

/** Pieces that mean something to YAML, to expressions or to the language. */
const pieces = [...data.pieces, ...expressionFunctions.flatMap(({ name }) => [`${name}(`, `.${name}(`])]

/** Values of every type, sound ones and strange ones. */
export const values: readonly unknown[] = data.values

/** A text with one to eight small changes. */
export function mutateText(text: string, other: string, random: Random): string {
  let mutated = text
  for (let count = 1 + random.below(8); count > 0; count--) mutated = changeOnce(mutated, other, random)
  return mutated
}

function changeOnce(text: string, other: string, random: Random): string {
  const at = random.below(text.length + 1)
  const length = random.next() < 0.8 ? random.below(12) : random.below(400)
  switch (random.below(7)) {
    case 0:
      return text.slice(0, at) + text.slice(at + length)
    case 1:
      return text.slice(0, at) + random.pick(pieces) + text.slice(at)
    case 2:
      return text.slice(0, at) + random.pick(pieces) + text.slice(at + length)
    case 3:
      return text.slice(0, at) + text.slice(at, at + length) + text.slice(at)
    case 4: {
      const from = random.below(other.length + 1)
      return text.slice(0, at) + other.slice(from, from + length * 4) + text.slice(at)
    }
    case 5:
      return text.slice(0, at) + String.fromCharCode(random.below(0x250)) + text.slice(at + 1)
    default:
      return text.slice(0, at) + random.pick(pieces).repeat(random.below(60)) + text.slice(at)
  }
}

/** Bytes of which a few are others. */
export function mutateBytes(text: string, random: Random): Uint8Array {
  const bytes = Buffer.from(text)
  for (let count = 1 + random.below(6); count > 0; count--) {
    bytes[random.below(bytes.length)] = random.below(256)
  }
  return random.next() < 0.1 ? bytes.subarray(random.below(bytes.length)) : bytes
}

/** Places of a tree: the holder of a value, and its key there. */
export interface Place {
  readonly holder: Record<string | number, unknown>
  readonly key: string | number
}

/** Every place of a tree but its root. */
export function placesOf(tree: unknown): readonly Place[] {
  if (typeof tree !== 'object' || tree === null) return []
  const holder = tree as Record<string | number, unknown>
  const keys = Array.isArray(tree) ? [...tree.keys()] : Object.keys(tree)
  return keys.flatMap((key) => [{ holder, key }, ...placesOf(holder[key])])
}

/** A tree with one to four values deleted, renamed, retyped, moved or repeated, as YAML. */
export function mutateTree(tree: unknown, random: Random): string {
  const mutated = structuredClone(tree)
  for (let count = 1 + random.below(4); count > 0; count--) {
    const places = placesOf(mutated)
    if (places.length > 0) changePlace(random.pick(places), places, random)
  }
  return stringify(mutated, { aliasDuplicateObjects: random.next() < 0.5 })
}

function changePlace({ holder, key }: Place, places: readonly Place[], random: Random): void {
  const value = holder[key]
  switch (random.below(5)) {
    case 0:
      deleteKey(holder, key)
      return
    case 1:
      if (Array.isArray(holder)) holder.push(value)
      else holder[`${key}${random.pick(['x', '-', '_', ''])}`] = value
      return
    case 2: {
      const other = random.pick(places)
      holder[key] = structuredClone(other.holder[other.key])
      return
    }
    case 3:
      deleteKey(holder, key)
      if (!Array.isArray(holder)) holder[random.pick(data.keys)] = value
      return
    default:
      holder[key] = structuredClone(random.pick(values))
  }
}

export function deleteKey(holder: Record<string | number, unknown>, key: string | number): void {
  if (Array.isArray(holder)) holder.splice(Number(key), 1)
  else delete holder[key]
}
