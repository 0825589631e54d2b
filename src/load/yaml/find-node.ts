import { isMap, isPair, isScalar, isSeq, type Node, type Pair, type YAMLMap } from 'yaml'
import type { JsonPath } from '../json-path.ts'

/** The node at a path, or undefined where the path ends or goes through an alias. */
export function findNode(contents: Node | undefined, path: JsonPath): Node | undefined {
  let node: unknown = contents
  for (const part of path) {
    if (typeof part === 'number') node = isSeq(node) ? node.items[part] : undefined
    else node = findPair(node, part)?.value
  }
  return isPair(node) ? (node.key as Node) : ((node as Node | null | undefined) ?? undefined)
}

/** The pair of a key in a map. */
export function findPair(
  holder: unknown,
  key: string | number | undefined,
): Pair<Node, Node | null> | undefined {
  if (isPair(holder)) return holder as Pair<Node, Node | null>
  return isMap(holder) && typeof key === 'string'
    ? pairsOf(holder as YAMLMap<Node, Node | null>).get(key)
    : undefined
}

type Pairs = ReadonlyMap<string, Pair<Node, Node | null>>

const pairsOfMaps = new WeakMap<YAMLMap, Pairs>()

/** The pairs of a map by their keys; of two with one key the first. */
function pairsOf(map: YAMLMap<Node, Node | null>): Pairs {
  const known = pairsOfMaps.get(map)
  if (known) return known
  const pairs = new Map<string, Pair<Node, Node | null>>()
  for (const pair of map.items) {
    const key = keyOf(pair)
    if (key !== undefined && !pairs.has(key)) pairs.set(key, pair)
  }
  pairsOfMaps.set(map, pairs)
  return pairs
}

function keyOf({ key }: Pair): string | undefined {
  if (!isScalar(key)) return undefined
  return typeof key.value === 'string' ? key.value : (key.source ?? String(key.value))
}
